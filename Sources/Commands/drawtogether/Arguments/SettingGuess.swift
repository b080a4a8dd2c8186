/// What somebody meant who wrote a name that there is not.
enum SettingGuess {
  /// What other programs call it.
  private static let synonyms = [
    "address": "http", "bind": "http", "host": "http", "listen": "http", "port": "http",
    "base-url": "public-url",
    "certificate": "tls-cert", "cors": "allowed-origins", "cpus": "reactors", "logging": "log-level",
    "static": "public",
    "threads": "reactors", "tls": "https", "token": "metrics-token", "url": "public-url",
    "verbose": "log-level",
    "workers": "reactors",
  ]

  /// The name that is nearest: by a few letters, by its first or its last words, or by what others call it.
  static func nearest(to name: String, among candidates: [String]) -> String? {
    let name = name.lowercased()
    if let other = synonyms[name], candidates.contains(other) { return other }
    if let near = EditDistance.nearest(to: name, among: candidates) { return near }
    guard !name.isEmpty else { return nil }
    let alike = candidates.filter {
      $0.hasPrefix(name + "-") || $0.hasSuffix("-" + name) || name.hasPrefix($0 + "-")
    }
    return alike.min { $0.utf8.count < $1.utf8.count }
  }
}
