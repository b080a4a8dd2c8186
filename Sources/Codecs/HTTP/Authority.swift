/// A host with an optional port, as in `Host` and in an absolute request target (RFC 9110 §7.2, RFC 3986 §3.2).
///
/// Stricter than the grammar: no user information, no sub-delimiters such as a comma (a comma is a sign of two `Host` fields that
/// a proxy joined), and no empty host.
package struct Authority: Equatable, Hashable, Sendable {
  /// The host in lower case; an IPv6 address with its brackets.
  package let host: String
  /// The port; nil if the text has no port, or no digits after the colon.
  package let port: Int?

  /// Parses an authority.
  ///
  /// - Returns: nil if the text is not an authority of this form.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    let hostEnd: Int
    if bytes.first == 0x5B {  // `[` before an IPv6 address
      guard let bracket = bytes.firstIndex(of: 0x5D) else { return nil }
      guard Self.isAddress(bytes[1..<bracket]) else { return nil }
      hostEnd = bracket + 1
    } else {
      hostEnd = bytes.firstIndex(of: Grammar.colon) ?? bytes.endIndex
      guard Self.isName(bytes[..<hostEnd]) else { return nil }
    }
    if hostEnd < bytes.endIndex {
      guard bytes[hostEnd] == Grammar.colon else { return nil }
      let digits = bytes[(hostEnd + 1)...]
      let port = Grammar.decimal(digits)
      guard digits.isEmpty || (port.map { $0 <= 65_535 } ?? false) else { return nil }
      self.port = port
    } else {
      port = nil
    }
    host = String(latin1: bytes[..<hostEnd].map(Grammar.lowercased))
  }

  /// Returns the port of this authority. If the text has no port, returns the default port of the scheme.
  package func port(forScheme scheme: String) -> Int {
    port ?? (scheme.equalsIgnoringCase("https") ? 443 : 80)
  }

  private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.contains(Grammar.colon)
      && bytes.allSatisfy { Grammar.hexValue($0) != nil || $0 == Grammar.colon || $0 == 0x2E }
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { byte in
        switch byte {
        case 0x2D, 0x2E, 0x5F, 0x7E: true  // -._~
        default: Grammar.isDigit(byte) || Grammar.isLetter(byte)
        }
      }
  }
}

extension Authority: CustomStringConvertible {
  package var description: String {
    port.map { "\(host):\($0)" } ?? host
  }
}
