import HTTP
import Testing

@Suite("Refused requests, RFC 9112")
struct RequestRefusalTests {
  /// An invalid request: its last byte is the first byte that breaks a rule.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let rule: String
    let bytes: String
    let error: MessageError
    var status = 400

    var testDescription: String { "\(rule): \(bytes.debugDescription)" }
  }

  private static let host = "GET / HTTP/1.1\r\nHost: h\r\n"
  private static let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let requestLines = [
    Refusal(rule: "§2.2 two empty lines", bytes: "\r\n\r", error: .emptyLines),
    Refusal(rule: "§2.2 LF before the request line", bytes: "\n", error: .bareLineFeed),
    Refusal(rule: "§2.2 CR without LF before the request line", bytes: "\rG", error: .bareCarriageReturn),
    Refusal(rule: "§2.2 a blank before the request line", bytes: " ", error: .invalidMethodByte(0x20)),
    Refusal(rule: "§2.2 LF ends the line", bytes: "GET / HTTP/1.1\n", error: .bareLineFeed),
    Refusal(rule: "§2.2 CR alone", bytes: "GET / HTTP/1.1\rH", error: .bareCarriageReturn),
    Refusal(rule: "§2.2 CR CR LF", bytes: "GET / HTTP/1.1\r\r", error: .bareCarriageReturn),
    Refusal(rule: "§2.2 LF in the target", bytes: "GET /\n", error: .bareLineFeed),
    Refusal(rule: "§2.2 LF in the method", bytes: "GE\n", error: .bareLineFeed),
    Refusal(rule: "§2.2 LF in the version", bytes: "GET / HTTP/1\n", error: .bareLineFeed),
    Refusal(rule: "§3.1 a TLS handshake", bytes: "\u{16}", error: .invalidMethodByte(0x16)),
    Refusal(rule: "§3.1 NUL in the method", bytes: "G\u{0}", error: .invalidMethodByte(0)),
    Refusal(rule: "§3.1 a colon in the method", bytes: "GET:", error: .invalidMethodByte(0x3A)),
    Refusal(rule: "§3.1 a tab after the method", bytes: "GET\t", error: .invalidMethodByte(0x09)),
    Refusal(rule: "§3.1 obs-text in the method", bytes: "G\u{E9}", error: .invalidMethodByte(0xE9)),
    Refusal(rule: "§3.1 only a method", bytes: "GET\r", error: .invalidMethodByte(0x0D)),
    Refusal(
      rule: "§3.1 a method longer than any supported one", bytes: "ABCDEFGHIJKLMNOPQRSTUVWXY",
      error: .methodTooLong(limit: 24),
      status: 501),
    Refusal(rule: "§3.2.3 CONNECT", bytes: "CONNECT ", error: .connectRefused, status: 501),
    Refusal(rule: "§3 two blanks", bytes: "GET  ", error: .malformedTarget),
    Refusal(rule: "§3 a tab in the target", bytes: "GET /\t", error: .invalidTargetByte(0x09)),
    Refusal(rule: "§3.2 NUL in the target", bytes: "GET /\u{0}", error: .invalidTargetByte(0)),
    Refusal(rule: "§3.2 DEL in the target", bytes: "GET /\u{7F}", error: .invalidTargetByte(0x7F)),
    Refusal(rule: "§3.2 a byte beyond ASCII", bytes: "GET /\u{E9}", error: .invalidTargetByte(0xE9)),
    Refusal(rule: "§3.2 a fragment", bytes: "GET /#", error: .invalidTargetByte(0x23)),
    Refusal(rule: "§3.2 a blank in the target", bytes: "GET /a b", error: .malformedVersion),
    Refusal(rule: "§3 HTTP/0.9", bytes: "GET /\r", error: .malformedVersion),
    Refusal(rule: "§3 a blank without a version after it", bytes: "GET / \r", error: .malformedVersion),
    Refusal(rule: "§3 two blanks before the version", bytes: "GET /  ", error: .malformedVersion),
    Refusal(rule: "§2.3 a version in lower case", bytes: "GET / h", error: .malformedVersion),
    Refusal(rule: "§2.3 another protocol", bytes: "GET / HTTPS", error: .malformedVersion),
    Refusal(rule: "§2.3 a version without a dot", bytes: "GET / HTTP/11", error: .malformedVersion),
    Refusal(rule: "§2.3 no minor version", bytes: "GET / HTTP/1.\r", error: .malformedVersion),
    Refusal(rule: "§2.3 a minor version of two digits", bytes: "GET / HTTP/1.10", error: .malformedVersion),
    Refusal(rule: "§3 a blank after the version", bytes: "GET / HTTP/1.1 ", error: .malformedVersion),
    Refusal(rule: "§2.3 HTTP/2", bytes: "GET / HTTP/2", error: .versionNotSupported(major: 2), status: 505),
    Refusal(
      rule: "RFC 9113 §3.4 HTTP/2's preface", bytes: "PRI * HTTP/2", error: .versionNotSupported(major: 2),
      status: 505),
    Refusal(rule: "§2.3 HTTP/0", bytes: "GET / HTTP/0", error: .versionNotSupported(major: 0), status: 505),
    Refusal(rule: "§3.2.4 asterisk-form for GET", bytes: "GET * HTTP/1.1\r", error: .malformedTarget),
    Refusal(rule: "§3.2.3 authority-form for GET", bytes: "GET h:80 HTTP/1.1\r", error: .malformedTarget),
    Refusal(rule: "§3.2.1 no slash", bytes: "GET index.html HTTP/1.1\r", error: .malformedTarget),
    Refusal(rule: "§3.2.2 another scheme", bytes: "GET ftp://h/ HTTP/1.1\r", error: .malformedTarget),
    Refusal(rule: "§3.2.2 a scheme alone", bytes: "GET http: HTTP/1.1\r", error: .malformedTarget),
    Refusal(rule: "§3.2.2 one slash", bytes: "GET http:/h/ HTTP/1.1\r", error: .malformedTarget),
    Refusal(rule: "§3.2.2 no host", bytes: "GET http:///a HTTP/1.1\r", error: .malformedTarget),
    Refusal(rule: "§3.2.2 user information", bytes: "GET http://u@h/ HTTP/1.1\r", error: .malformedTarget),
    Refusal(
      rule: "§3.2.2 a backslash for a slash", bytes: "GET http://h\\a HTTP/1.1\r", error: .malformedTarget),
    Refusal(
      rule: "§3.2.2 a port too large", bytes: "GET http://h:65536/ HTTP/1.1\r", error: .malformedTarget),
  ]

  static let hosts = [
    Refusal(rule: "RFC 9112 §3.2 no Host", bytes: "GET / HTTP/1.1\r\n\r\n", error: .missingHost),
    Refusal(
      rule: "§3.2 no Host, with an authority in the target", bytes: "GET http://h/ HTTP/1.1\r\n\r\n",
      error: .missingHost),
    Refusal(rule: "§3.2 two Host fields", bytes: host + "Host: h\r\n", error: .repeatedHost),
    Refusal(
      rule: "§3.2 two Host fields, the second name in another case", bytes: host + "A: b\r\nhOST: i\r\n",
      error: .repeatedHost),
    Refusal(
      rule: "§3.2 two Host fields in HTTP/1.0", bytes: "GET / HTTP/1.0\r\nHost: h\r\nHost: h\r\n",
      error: .repeatedHost),
    Refusal(rule: "RFC 9110 §7.2 an empty Host", bytes: "GET / HTTP/1.1\r\nHost:\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 only a port", bytes: "GET / HTTP/1.1\r\nHost: :80\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 a list", bytes: "GET / HTTP/1.1\r\nHost: a,b\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 a blank", bytes: "GET / HTTP/1.1\r\nHost: a b\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 user information", bytes: "GET / HTTP/1.1\r\nHost: u@h\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 a path", bytes: "GET / HTTP/1.1\r\nHost: h/x\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 a URL", bytes: "GET / HTTP/1.1\r\nHost: http://h\r\n", error: .malformedHost),
    Refusal(
      rule: "§7.2 a port of letters", bytes: "GET / HTTP/1.1\r\nHost: h:http\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 a signed port", bytes: "GET / HTTP/1.1\r\nHost: h:+80\r\n", error: .malformedHost),
    Refusal(
      rule: "§7.2 a port too large", bytes: "GET / HTTP/1.1\r\nHost: h:99999999999999999999\r\n",
      error: .malformedHost),
    Refusal(rule: "§7.2 two ports", bytes: "GET / HTTP/1.1\r\nHost: h:80:81\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 an open bracket", bytes: "GET / HTTP/1.1\r\nHost: [::1\r\n", error: .malformedHost),
    Refusal(
      rule: "§7.2 text after a bracket", bytes: "GET / HTTP/1.1\r\nHost: [::1]x\r\n", error: .malformedHost),
    Refusal(
      rule: "§7.2 a name in brackets", bytes: "GET / HTTP/1.1\r\nHost: [name]\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 obs-text", bytes: "GET / HTTP/1.1\r\nHost: h\u{E9}\r\n", error: .malformedHost),
    Refusal(rule: "§7.2 a quotation mark", bytes: "GET / HTTP/1.1\r\nHost: \"h\"\r\n", error: .malformedHost),
  ]

  static let fields = [
    Refusal(rule: "§2.2 LF ends a field", bytes: host + "A: b\n", error: .bareLineFeed),
    Refusal(rule: "§2.2 LF in a name", bytes: host + "A\n", error: .bareLineFeed),
    Refusal(rule: "§2.2 LF ends the head", bytes: host + "\n", error: .bareLineFeed),
    Refusal(rule: "§2.2 CR in a value", bytes: host + "A: b\rc", error: .bareCarriageReturn),
    Refusal(rule: "§2.2 CR CR LF", bytes: host + "A: b\r\r", error: .bareCarriageReturn),
    Refusal(rule: "§2.2 CR before a field", bytes: host + "\rA", error: .bareCarriageReturn),
    Refusal(
      rule: "§2.2 a blank before the first field", bytes: "GET / HTTP/1.1\r\n ",
      error: .whitespaceBeforeFirstField),
    Refusal(
      rule: "§2.2 a tab before the first field", bytes: "GET / HTTP/1.1\r\n\t",
      error: .whitespaceBeforeFirstField),
    Refusal(rule: "§5.2 a folded line", bytes: host + "A: b\r\n ", error: .foldedField),
    Refusal(rule: "§5.2 folded by a tab", bytes: host + "A: b\r\n\t", error: .foldedField),
    Refusal(rule: "§5.1 a blank before the colon", bytes: host + "A ", error: .spaceBeforeColon),
    Refusal(rule: "§5.1 a tab before the colon", bytes: host + "A\t", error: .spaceBeforeColon),
    Refusal(rule: "§5.1 no name", bytes: host + ":", error: .invalidFieldNameByte(0x3A)),
    Refusal(rule: "§5.1 no colon", bytes: host + "A\r", error: .missingColon),
    Refusal(rule: "§5.1 NUL in a name", bytes: host + "A\u{0}", error: .invalidFieldNameByte(0)),
    Refusal(rule: "§5.1 a parenthesis in a name", bytes: host + "A(", error: .invalidFieldNameByte(0x28)),
    Refusal(
      rule: "§5.1 obs-text in a name", bytes: host + "\u{E9}", error: .invalidFieldNameByte(0xE9)),
    Refusal(
      rule: "§5.1 DEL in a name", bytes: host + "A\u{7F}", error: .invalidFieldNameByte(0x7F)),
    Refusal(rule: "RFC 9110 §5.5 NUL in a value", bytes: host + "A: \u{0}", error: .controlCharacter(0)),
    Refusal(rule: "§5.5 vertical tab", bytes: host + "A: b\u{B}", error: .controlCharacter(0x0B)),
    Refusal(rule: "§5.5 form feed", bytes: host + "A:\u{C}", error: .controlCharacter(0x0C)),
    Refusal(rule: "§5.5 escape", bytes: host + "A: \u{1B}", error: .controlCharacter(0x1B)),
    Refusal(rule: "§5.5 DEL", bytes: host + "A: b\u{7F}", error: .controlCharacter(0x7F)),
    Refusal(
      rule: "RFC 9110 §10.1.1 another expectation", bytes: host + "Expect: 200-ok\r\n",
      error: .unknownExpectation,
      status: 417),
    Refusal(
      rule: "§10.1.1 a second expectation after 100-continue", bytes: host + "Expect: 100-continue, x=y\r\n",
      error: .unknownExpectation,
      status: 417),
  ]

  static let framings = [
    Refusal(
      rule: "§6.3 two lengths", bytes: host + "Content-Length: 1\r\nContent-Length: 2\r\n",
      error: .repeatedContentLength),
    Refusal(
      rule: "§6.3 two equal lengths", bytes: host + "Content-Length: 1\r\ncontent-length: 1\r\n",
      error: .repeatedContentLength),
    Refusal(
      rule: "§6.3 Content-Length before Transfer-Encoding",
      bytes: host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
      error: .transferEncodingAndContentLength),
    Refusal(
      rule: "§6.3 Transfer-Encoding before Content-Length",
      bytes: host + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
      error: .transferEncodingAndContentLength),
    Refusal(
      rule: "§6.3 Content-Length before an unknown transfer coding",
      bytes: host + "Content-Length: 1\r\nTransfer-Encoding: x\r\n",
      error: .transferEncodingAndContentLength),
    Refusal(
      rule: "§6.1 two Transfer-Encoding fields",
      bytes: host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
      error: .repeatedTransferEncoding),
    Refusal(
      rule: "§6.1 a second Transfer-Encoding field with another coding",
      bytes: host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      error: .repeatedTransferEncoding),
    Refusal(
      rule: "§6.1 Transfer-Encoding in HTTP/1.0", bytes: "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
      error: .transferEncodingBefore11),
    Refusal(
      rule: "§6.1 an unknown coding", bytes: host + "Transfer-Encoding: gzip, chunked\r\n",
      error: .unknownTransferCoding, status: 501),
    Refusal(
      rule: "§6.1 an unknown coding", bytes: host + "Transfer-Encoding: identity,chunked\r\n",
      error: .unknownTransferCoding, status: 501),
  ]

  @Test(
    "RFC 9112 §6.2: a Content-Length that is not a number is refused",
    arguments: [
      "", "+1", "-1", " 1 1", "1,1", "1, 1", "1,", ",1", "0x1", "1a", "1.0", "1e1", "\"1\"", "\u{B2}", "1 ;",
      "one", "1_0",
    ])
  func refusesLength(_ length: String) {
    expectRefusal(
      Refusal(
        rule: "§6.2 a Content-Length that is not a number",
        bytes: Self.host + "Content-Length: \(length)\r\n",
        error: .malformedContentLength))
  }

  @Test(
    "RFC 9112 §6.1, §6.3: transfer codings that do not end in chunked, or contain chunked twice, are refused",
    arguments: [
      "", "gzip", "identity", "xchunked", "chunkedx", "chunked x", "chunked, chunked", "chunked, gzip",
      "chunked, identity",
      "chunked,", ",chunked", "gzip,,chunked", "chunked;", "chunked;a=b", "\"chunked\"", "'chunked'",
      "chunked;q=1, gzip",
      "chunked, gzip, chunked", "chun\u{AD}ked", "chunked\u{A0}", "gzip\"x\", chunked", "gzip chunked",
      "x y, chunked",
    ])
  func refusesCoding(_ coding: String) {
    expectRefusal(
      Refusal(
        rule: "§6.1 chunked is not the last coding, or is repeated",
        bytes: Self.host + "Transfer-Encoding: \(coding)\r\n",
        error: .malformedTransferEncoding))
  }

  static let chunks = [
    Refusal(rule: "§7.1 no chunk size", bytes: chunked + "\r", error: .malformedChunkSize),
    Refusal(rule: "§7.1 not hexadecimal", bytes: chunked + "g", error: .malformedChunkSize),
    Refusal(rule: "§7.1 a chunk size with 0x", bytes: chunked + "0x", error: .malformedChunkSize),
    Refusal(rule: "§7.1 a plus sign before the chunk size", bytes: chunked + "+", error: .malformedChunkSize),
    Refusal(
      rule: "§7.1 a minus sign before the chunk size", bytes: chunked + "-", error: .malformedChunkSize),
    Refusal(rule: "§7.1 a blank before the chunk size", bytes: chunked + " ", error: .malformedChunkSize),
    Refusal(
      rule: "§7.1 a blank after the size", bytes: chunked + "3 ", error: .malformedChunkSize),
    Refusal(rule: "§7.1 a comma after the chunk size", bytes: chunked + "3,", error: .malformedChunkSize),
    Refusal(
      rule: "§7.1 an extension without a size", bytes: chunked + ";", error: .malformedChunkSize),
    Refusal(
      rule: "§7.1 a chunk size of seventeen digits", bytes: chunked + "00000000000000000",
      error: .chunkSizeTooLong(limit: 16)),
    Refusal(rule: "§2.2 LF after a size", bytes: chunked + "3\n", error: .bareLineFeed),
    Refusal(rule: "§2.2 CR after a size", bytes: chunked + "3\ra", error: .bareCarriageReturn),
    Refusal(rule: "§2.2 LF in an extension", bytes: chunked + "3;a\n", error: .bareLineFeed),
    Refusal(
      rule: "§2.2 CR in an extension", bytes: chunked + "3;a\rb", error: .bareCarriageReturn),
    Refusal(
      rule: "§7.1.1 a control character in a chunk extension", bytes: chunked + "3;\u{0}",
      error: .malformedChunkExtension(0)),
    Refusal(
      rule: "§7.1 content longer than the chunk size", bytes: chunked + "3\r\nabcd",
      error: .missingLineEndAfterChunk
    ),
    Refusal(
      rule: "§7.1 LF after content", bytes: chunked + "3\r\nabc\n",
      error: .missingLineEndAfterChunk),
    Refusal(
      rule: "§7.1 CR after content", bytes: chunked + "3\r\nabc\r0", error: .bareCarriageReturn),
    Refusal(
      rule: "§7.1.2 LF ends the trailers", bytes: chunked + "0\r\n\n", error: .bareLineFeed),
    Refusal(
      rule: "§7.1.2 a trailer that is not a field", bytes: chunked + "0\r\nGET ", error: .spaceBeforeColon),
    Refusal(
      rule: "§7.1.2 a blank before the first trailer", bytes: chunked + "0\r\n ",
      error: .whitespaceBeforeFirstField
    ),
    Refusal(rule: "§7.1.2 a folded trailer", bytes: chunked + "0\r\nA: b\r\n ", error: .foldedField),
    Refusal(rule: "§7.1.2 NUL in a trailer", bytes: chunked + "0\r\nA: \u{0}", error: .controlCharacter(0)),
  ]

  @Test(
    "a request that breaks a rule is refused at the first byte that breaks the rule",
    arguments: requestLines + hosts + fields + framings + chunks)
  func refuses(_ refusal: Refusal) {
    expectRefusal(refusal)
  }

  /// Checks that the request is refused at its last byte, whether it arrives as a whole, byte by byte, or followed by another
  /// request.
  private func expectRefusal(_ refusal: Refusal) {
    let bytes = latin1(refusal.bytes)
    #expect(refusal.error.status.code == refusal.status)
    #expect(Reading(Array(bytes.dropLast())).error == nil)
    #expect(Reading(bytes).error == refusal.error)
    #expect(Reading(bytes, pieces: 1).error == refusal.error)
    let next = latin1("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
    let reading = Reading(bytes + next)
    #expect(reading.error == refusal.error)
    #expect(reading.rest == next.count)
    #expect(!reading.events.contains(.end))
  }

  @Test("after a request is refused, the reader reads no more bytes")
  func staysRefused() {
    var reader = RequestReader()
    let bytes = Array("GET  / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
    var position = 0
    for _ in 0..<3 {
      #expect(throws: MessageError.malformedTarget) { try reader.next(in: bytes.span, at: &position) }
      #expect(position == 5)
    }
  }

  @Test("the description of an error contains the limit, and the actual number if it is known")
  func sentences() {
    #expect(
      MessageError.requestLineTooLong(limit: 8_192).description
        == "The request line is longer than 8192 bytes.")
    #expect(
      MessageError.bodyTooLarge(limit: 10, actual: 11).description
        == "The body of 11 bytes is over the limit of 10.")
  }
}
