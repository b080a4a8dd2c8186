/// The information of a proxy about a request that the proxy forwarded: an element of `Forwarded` (RFC 7239 §4), or of
/// `X-Forwarded-For`, `-Proto` and `-Host`.
package struct ForwardedHop: Equatable, Sendable {
  /// The peer that sent the request to the proxy: a numeric address without brackets and port. Nil if the proxy does
  /// not reveal the address (`unknown`, `_hidden`), or the text is not an address.
  package var client: String?
  /// True if the proxy received the request over TLS; nil if unknown.
  package var isSecure: Bool?
  /// The authority that the request was addressed to; nil if unknown.
  package var authority: Authority?

  /// Creates a hop; nil stands for unknown.
  package init(client: String? = nil, isSecure: Bool? = nil, authority: Authority? = nil) {
    self.client = client
    self.isSecure = isSecure
    self.authority = authority
  }

  /// Parses an element of `Forwarded`: pairs in any case and order, with tokens or quoted values (§4).
  ///
  /// - Returns: nil if the element is malformed, or has a name twice.
  package init?(element: String) {
    guard let bytes = element.latin1Bytes, let pairs = FieldParameters([Grammar.semicolon] + bytes) else {
      return nil
    }
    func text(_ name: String) -> String? { pairs[name].map { String(latin1: $0) } }
    client = text("for").flatMap { Self.address(ofNode: $0) }
    isSecure = text("proto").flatMap(Self.isSecure)
    authority = text("host").flatMap { Authority($0) }
  }

  /// The result of reading either `Forwarded` or the `X-Forwarded-` fields.
  package enum Reading: Equatable, Sendable {
    /// The request has no such fields.
    case absent
    /// The fields have fewer elements than there are trusted proxies, or are malformed.
    case unusable
    case hop(ForwardedHop)
  }

  /// Reads `Forwarded`. Each proxy appends an element, so the first trusted proxy wrote the element at position `proxies` from
  /// the end.
  ///
  /// A client may send a quotation mark that is never closed. The elements that proxies append to the same line are then part
  /// of the quoted text. So if one of the trusted elements is malformed, none of them is used. Quotation marks can only be
  /// found by reading the field from its beginning, so a field with more than 64 elements is refused.
  ///
  /// - Parameters:
  ///   - fields: the fields of a request.
  ///   - proxies: the number of trusted proxies, 1 or more. The elements before those of the trusted proxies may come from the
  ///     client.
  /// - Returns: the information of the first trusted proxy.
  package static func forwarded(in fields: FieldList, behind proxies: Int) -> Reading {
    guard fields.first("Forwarded") != nil else { return .absent }
    guard let elements = fields.tokens(of: "Forwarded", limit: elementLimit), elements.count >= proxies else {
      return .unusable
    }
    let hops = elements.suffix(proxies).compactMap(Self.init(element:))
    guard hops.count == proxies else { return .unusable }
    return hops.first.map { .hop($0) } ?? .unusable
  }

  /// Reads `X-Forwarded-For`, to which each proxy appends an element, and `X-Forwarded-Proto` and `X-Forwarded-Host`, which most
  /// proxies replace. In `-Proto` and `-Host`, the element at position `proxies` from the end is used.
  ///
  /// If `-Proto` or `-Host` has fewer than `proxies` elements, an inner proxy may have replaced the field. In this case, the
  /// first element is used. The first element of `-Proto` is ignored if it is `http`, because an inner proxy receives every
  /// request in plain text.
  ///
  /// - Parameters:
  ///   - fields: the fields of a request.
  ///   - proxies: the number of trusted proxies, 1 or more.
  /// - Returns: the information of the first trusted proxy.
  package static func xForwarded(in fields: FieldList, behind proxies: Int) -> Reading {
    guard xForwardedNames.contains(where: { fields.first($0) != nil }) else { return .absent }
    let chain = lastElements(proxies, of: "X-Forwarded-For", in: fields)
    guard let first = chain.first, chain.count == proxies else { return .unusable }
    let schemes = lastElements(proxies, of: "X-Forwarded-Proto", in: fields)
    let hosts = lastElements(proxies, of: "X-Forwarded-Host", in: fields)
    var isSecure = schemes.first.flatMap(isSecure)
    if schemes.count < proxies, isSecure == false { isSecure = nil }
    return .hop(
      ForwardedHop(
        client: address(ofNode: first), isSecure: isSecure, authority: hosts.first.flatMap { Authority($0) }))
  }

  /// Returns the name of the field in which a proxy names the client; nil if there is none.
  package static func clientField(in fields: FieldList) -> String? {
    ["Forwarded", "X-Forwarded-For"].first { fields.first($0) != nil }
  }

  private static let xForwardedNames = ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"]

  /// The maximum number of elements of `Forwarded` that are read. Real chains of proxies are much shorter.
  private static let elementLimit = 64

  /// Returns the last elements of all fields of this name, at most `number`, in order. Earlier elements are not read, because a
  /// client can send thousands of them. These fields have no quoted strings, so a quotation mark from a client cannot hide a
  /// comma that a proxy wrote.
  private static func lastElements(_ number: Int, of name: String, in fields: FieldList) -> [String] {
    var found: [String] = []
    for value in fields.all(name).reversed() {
      var rest = value[...]
      while found.count < number {
        let comma = rest.utf8.lastIndex(of: Grammar.comma)
        let element = rest[(comma.map { rest.utf8.index(after: $0) } ?? rest.startIndex)...].trimmingBlanks()
        if !element.isEmpty { found.append(element) }
        guard let comma else { break }
        rest = rest[..<comma]
      }
    }
    return found.reversed()
  }

  /// Returns true for `https` and `wss`, false for `http` and `ws`, and nil for any other scheme. Some proxies send `ws` or
  /// `wss` for a WebSocket.
  private static func isSecure(_ scheme: String) -> Bool? {
    switch scheme.lowercased() {
    case "https", "wss": true
    case "http", "ws": false
    default: nil
    }
  }

  /// Returns the address in a `node` (RFC 7239 §6): an IPv4 address, or an IPv6 address in brackets, with or without a port.
  /// Also accepts an IPv6 address without brackets, as in `X-Forwarded-For`.
  private static func address(ofNode node: String) -> String? {
    let bytes = Array(node.utf8)
    let (host, rest): (ArraySlice<UInt8>, ArraySlice<UInt8>)
    if bytes.first == 0x5B {  // [
      guard let bracket = bytes.firstIndex(of: 0x5D) else { return nil }
      (host, rest) = (bytes[1..<bracket], bytes[(bracket + 1)...])
      guard isV6(host) else { return nil }
    } else if isV6(bytes[...]) {
      (host, rest) = (bytes[...], [])
    } else {
      let end = bytes.firstIndex(of: Grammar.colon) ?? bytes.endIndex
      (host, rest) = (bytes[..<end], bytes[end...])
      guard isV4(host) else { return nil }
    }
    guard rest.isEmpty || isPort(rest) else { return nil }
    return String(latin1: host)
  }

  /// Returns true for four decimal numbers. Proxies do not write the other forms that resolvers accept, such as 127.1
  /// and octal numbers.
  private static func isV4(_ bytes: ArraySlice<UInt8>) -> Bool {
    let parts = bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        1...3 ~= part.count && part.allSatisfy(Grammar.isDigit) && (part.count == 1 || part.first != 0x30)
      }
  }

  private static func isV6(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count { $0 == Grammar.colon } >= 2
      && bytes.allSatisfy { Grammar.hexValue($0) != nil || $0 == Grammar.colon || $0 == 0x2E }
  }

  /// Returns true for a colon and a port, which may be obfuscated (§6.2, §6.3).
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.first == Grammar.colon, bytes.count > 1 else { return false }
    let port = bytes.dropFirst()
    guard port.first == 0x5F else { return port.count <= 5 && port.allSatisfy(Grammar.isDigit) }  // _
    return port.allSatisfy {
      Grammar.isDigit($0) || Grammar.isLetter($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D
    }
  }
}
