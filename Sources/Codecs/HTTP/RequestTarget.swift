/// The target of a request line (RFC 9112 §3.2).
struct RequestTarget: Equatable, Sendable {
  /// The target as it was sent.
  let text: String
  /// The path, percent-encoded, beginning with `/`; `*` for the asterisk-form.
  let path: String
  /// The text after the first `?`, percent-encoded; nil without one.
  let query: String?
  /// The host of an absolute-form target, which replaces `Host`.
  let authority: Authority?

  /// Parses a target.
  ///
  /// - Returns: nil if the method does not allow the form of the target. All methods allow origin-form, and absolute-form with
  ///   the scheme http or https. Only OPTIONS allows asterisk-form. No form allows user information or a fragment.
  init?(_ text: String, for method: Method) {
    self.text = text
    let bytes = text.utf8
    guard bytes.span.allSatisfy(Grammar.isTarget) else { return nil }
    if text == "*" {
      guard method == .options else { return nil }
      (path, query, authority) = ("*", nil, nil)
      return
    }
    var rest = text[...]
    if bytes.first == 0x2F {  // a slash
      authority = nil
    } else {
      // The absolute-form (RFC 9112 §3.2.2)
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
    // Most targets have no query. This check takes a fraction of the time of `firstIndex`.
    let hasQuery = !bytes.span.allSatisfy { $0 != 0x3F }  // ?
    let mark = hasQuery ? rest.utf8.firstIndex(of: 0x3F) : nil
    let pathText = String(rest[..<(mark ?? rest.endIndex)])
    path = pathText.isEmpty ? "/" : pathText
    query = mark.map { String(rest[rest.index(after: $0)...]) }
  }
}
