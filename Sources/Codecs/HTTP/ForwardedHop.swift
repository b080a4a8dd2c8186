/// What a proxy says of a request that it passed on: in an element of `Forwarded` (RFC 7239 §4), or in `X-Forwarded-For`,
/// `-Proto` and `-Host`.
package struct ForwardedHop: Equatable, Sendable {
  /// Whom it had the request from: an address in numbers, without brackets and port. Nil when it does not tell (`unknown`,
  /// `_hidden`), and for what cannot be an address.
  package var client: String?
  /// Whether it had the request over TLS; nil when it does not tell.
  package var isSecure: Bool?
  /// Where the request was addressed to; nil when it does not tell.
  package var authority: Authority?

  /// A hop of which that much is told.
  package init(client: String? = nil, isSecure: Bool? = nil, authority: Authority? = nil) {
    self.client = client
    self.isSecure = isSecure
    self.authority = authority
  }

  /// Reads an element of `Forwarded`: pairs of any case and order, values as tokens or quoted (§4).
  ///
  /// - Returns: nil when it is malformed, and when something is said twice.
  package init?(element: String) {
    guard let bytes = element.latin1Bytes, let pairs = FieldParameters([Grammar.semicolon] + bytes) else {
      return nil
    }
    func text(_ name: String) -> String? { pairs[name].map { String(latin1: $0) } }
    client = text("for").flatMap { Self.address(ofNode: $0) }
    isSecure = text("proto").flatMap(Self.isSecure)
    authority = text("host").flatMap { Authority($0) }
  }

  /// What fields of one kind say of the first of the proxies that are trusted.
  package enum Reading: Equatable, Sendable {
    /// There are no such fields.
    case absent
    /// There are some, and they do not tell of so many proxies.
    case unusable
    case hop(ForwardedHop)
  }

  /// Reads `Forwarded`. Each proxy adds an element at the end, so that the first of them wrote the one that is so far from it.
  ///
  /// A quotation mark that a client left open can swallow what proxies add behind it, on the same line: when one of the elements
  /// that count is malformed, none does. So it has to be read from its beginning, and more than 64 elements are not.
  ///
  /// - Parameters:
  ///   - fields: of a request.
  ///   - proxies: how many proxies are trusted, 1 or more; what stands before theirs can be anybody's.
  /// - Returns: what the first of them says.
  package static func standard(in fields: FieldList, behind proxies: Int) -> Reading {
    guard fields.first("Forwarded") != nil else { return .absent }
    guard let elements = fields.tokens(of: "Forwarded", limit: elementLimit), elements.count >= proxies else {
      return .unusable
    }
    let hops = elements.suffix(proxies).compactMap(Self.init(element:))
    guard hops.count == proxies else { return .unusable }
    return hops.first.map { .hop($0) } ?? .unusable
  }

  /// Reads `X-Forwarded-For`, to which each proxy adds an element, and `X-Forwarded-Proto` and `X-Forwarded-Host`, in the
  /// place of which most put their own. Of these the element counts that is so far from the end, or else the first. That may
  /// be the first proxy's, or an inner one's in its place, to which every request comes in plain text: `http` is not believed then.
  ///
  /// - Parameters:
  ///   - fields: of a request.
  ///   - proxies: how many proxies are trusted, 1 or more.
  /// - Returns: what the first of them says.
  package static func customary(in fields: FieldList, behind proxies: Int) -> Reading {
    guard customaryNames.contains(where: { fields.first($0) != nil }) else { return .absent }
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

  /// The field in which somebody who passed a request on tells of the client; nil when there is none.
  package static func tellingField(in fields: FieldList) -> String? {
    ["Forwarded", "X-Forwarded-For"].first { fields.first($0) != nil }
  }

  private static let customaryNames = ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"]

  /// How many elements of `Forwarded` are read: no chain of proxies is so long.
  private static let elementLimit = 64

  /// The last elements of all such fields, so many or fewer, in their order; a client can send thousands before them. These
  /// fields know no quotation marks: one that a client sent must hide no comma of a proxy's.
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

  /// Some say `wss` for a WebSocket.
  private static func isSecure(_ scheme: String) -> Bool? {
    switch scheme.lowercased() {
    case "https", "wss": true
    case "http", "ws": false
    default: nil
    }
  }

  /// The address in a node (§6): an IPv4 one, or an IPv6 one in brackets, with or without a port. Bare IPv6 ones, which
  /// `X-Forwarded-For` has, are taken too.
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

  /// Four decimal numbers: what resolvers take besides, such as 127.1 and octal ones, is not what a proxy writes.
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

  /// A colon and a port, which may be an obfuscated one (§6.2, §6.3).
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.first == Grammar.colon, bytes.count > 1 else { return false }
    let port = bytes.dropFirst()
    guard port.first == 0x5F else { return port.count <= 5 && port.allSatisfy(Grammar.isDigit) }  // _
    return port.allSatisfy {
      Grammar.isDigit($0) || Grammar.isLetter($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D
    }
  }
}
