/// Names that other programs use for our settings, for hints in errors about unknown flags.
enum FlagSynonyms {
  private static let synonyms = [
    "address": "http", "bind": "http", "host": "http", "listen": "http", "port": "http",
    "base-url": "public-url",
    "certificate": "tls-cert", "cors": "allowed-origins", "cpus": "reactors", "logging": "log-level",
    "static": "public",
    "threads": "reactors", "tls": "https", "token": "metrics-token", "url": "public-url",
    "verbose": "log-level",
    "workers": "reactors",
  ]

  /// Returns the flag that `name` probably means: a synonym, or the shortest flag that shares its first or last words.
  static func match(for name: String, among flags: [String]) -> String? {
    let name = name.lowercased()
    guard !name.isEmpty else { return nil }
    if let synonym = synonyms[name], flags.contains(synonym) { return synonym }
    let similar = flags.filter {
      $0.hasPrefix(name + "-") || $0.hasSuffix("-" + name) || name.hasPrefix($0 + "-")
    }
    return similar.min { $0.utf8.count < $1.utf8.count }
  }
}
