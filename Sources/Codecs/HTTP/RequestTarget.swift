/// What a request line asks for (RFC 9112 §3.2).
struct RequestTarget: Equatable, Sendable {
  /// As it was sent.
  let text: String
  /// Still percent-encoded, beginning with `/`; `*` for the asterisk-form.
  let path: String
  /// What follows the first `?`, still percent-encoded; nil without one.
  let query: String?
  /// The host that an absolute-form target names; it then stands for `Host`.
  let authority: Authority?

  /// - Returns: nil when the target has none of the forms that the method may use: origin-form and absolute-form of
  ///   http and https for all, asterisk-form for OPTIONS. User information and fragments have no place in any.
  init?(_ text: String, for method: Method) {
    self.text = text
    let bytes = text.utf8
    guard bytes.allSatisfy(Grammar.isTarget) else { return nil }
    if text == "*" {
      guard method == .options else { return nil }
      (path, query, authority) = ("*", nil, nil)
      return
    }
    var rest = text[...]
    if bytes.first == 0x2F {  // /
      authority = nil
    } else {
      // §3.2.2
      guard let colon = bytes.firstIndex(of: Grammar.colon) else { return nil }
      let scheme = text[..<colon]
      guard scheme.equalsIgnoringCase("http") || scheme.equalsIgnoringCase("https") else { return nil }
      rest = text[text.index(after: colon)...]
      guard rest.utf8.starts(with: "//".utf8) else { return nil }
      rest = rest.dropFirst(2)
      let end = rest.utf8.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
      guard let named = Authority(String(rest[..<end])) else { return nil }
      authority = named
      rest = rest[end...]
    }
    let mark = rest.utf8.firstIndex(of: 0x3F)  // ?
    let pathText = String(rest[..<(mark ?? rest.endIndex)])
    path = pathText.isEmpty ? "/" : pathText
    query = mark.map { String(rest[rest.index(after: $0)...]) }
  }
}
