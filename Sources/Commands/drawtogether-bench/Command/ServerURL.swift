/// The URL of a server: scheme `http`, `https`, `ws` or `wss`, a host and an optional port.
struct ServerURL: Equatable, Sendable, CustomStringConvertible {
  let isSecure: Bool
  /// A host name or an IP address; an IPv6 address is in brackets.
  let host: String
  let port: UInt16

  /// Parses a URL; nil for other schemes, and for a URL with a path, a query, a fragment or user information.
  init?(_ text: String) {
    guard let mark = text.firstRange(of: "://") else { return nil }
    switch text[..<mark.lowerBound].lowercased() {
    case "http", "ws": isSecure = false
    case "https", "wss": isSecure = true
    default: return nil
    }
    var rest = text[mark.upperBound...]
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard !rest.isEmpty, !rest.contains(where: { "/?#@ ".contains($0) }) else { return nil }
    let bracket = rest.hasPrefix("[") ? rest.firstIndex(of: "]") : nil
    guard rest.hasPrefix("[") == (bracket != nil) else { return nil }
    let hostEnd = bracket.map(rest.index(after:)) ?? rest.firstIndex(of: ":")
    let host = rest[..<(hostEnd ?? rest.endIndex)]
    let tail = rest[host.endIndex...]
    guard !host.isEmpty else { return nil }
    self.host = String(host)
    if tail.isEmpty {
      port = isSecure ? 443 : 80
    } else {
      let digits = tail.dropFirst()
      guard tail.first == ":", digits.allSatisfy(\.isASCIIDigit), let number = UInt16(digits), number > 0
      else {
        return nil
      }
      port = number
    }
  }

  /// `HOST:PORT`, for the resolver and for `Host`.
  var authority: String { "\(host):\(port)" }

  /// The host without brackets, for TLS.
  var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

  var description: String { "\(isSecure ? "https" : "http")://\(authority)" }
}

extension Character {
  /// True for one of the ten ASCII digits. The port is checked with this property, because `UInt16` also accepts a sign.
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
