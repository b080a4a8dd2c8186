import HTTP
import Testing

@Suite("RFC 9112: ResponseReader parses responses")
struct ResponseReaderTests {
  enum Event: Equatable {
    case interim(Int)
    case head(Int)
    case body(String)
    case end
  }

  /// Returns the events of the bytes. With `isClosed`, the connection ends after the bytes.
  private func read(
    _ text: String, methods: [Method], isClosed: Bool, pieces length: Int,
    limits: RequestLimits = RequestLimits()
  ) throws(MessageError) -> [Event] {
    var reader = ResponseReader(limits: limits)
    for method in methods { reader.expect(method) }
    var events: [Event] = []
    let bytes = latin1(text)
    var start = 0
    while start < bytes.count {
      let piece = Array(bytes[start..<(start + min(length, bytes.count - start))])
      start += piece.count
      var position = 0
      while let event = try reader.next(in: piece.span, at: &position) {
        switch event {
        case .interim(let head): events.append(.interim(head.status.code))
        case .head(let head): events.append(.head(head.status.code))
        case .end: events.append(.end)
        case .body(let range):
          let content = String(decoding: piece[range], as: UTF8.self)
          if case .body(let before)? = events.last {
            events[events.count - 1] = .body(before + content)
          } else {
            events.append(.body(content))
          }
        }
      }
    }
    if isClosed, try reader.finish() == .end { events.append(.end) }
    return events
  }

  struct Accepted: Sendable, CustomTestStringConvertible {
    let rule: String
    let bytes: String
    var methods = [Method.get]
    var isClosed = false
    let events: [Event]

    var testDescription: String { rule }
  }

  @Test(
    "RFC 9112 §6.3: the end of a response is found by its status, its fields, or the end of the connection",
    arguments: [
      Accepted(
        rule: "a body with Content-Length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
        events: [.head(200), .body("ab"), .end]),
      Accepted(
        rule: "a chunked body",
        bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        events: [.head(200), .body("ab"), .end]),
      Accepted(
        rule: "a body that ends with the connection", bytes: "HTTP/1.0 200 OK\r\n\r\nabc", isClosed: true,
        events: [.head(200), .body("abc"), .end]),
      Accepted(
        rule: "a response to HEAD has no body",
        bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
        methods: [.head, .get], events: [.head(200), .end, .head(404), .end]),
      Accepted(rule: "204", bytes: "HTTP/1.1 204 No Content\r\n\r\n", events: [.head(204), .end]),
      Accepted(
        rule: "304 with a length", bytes: "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
        events: [.head(304), .end]),
      Accepted(
        rule: "304 with chunks", bytes: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
        events: [.head(304), .end]),
      Accepted(
        rule: "interim responses before the final one",
        bytes:
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 \r\nContent-Length: 0\r\n\r\n",
        methods: [.post], events: [.interim(100), .interim(103), .head(201), .end]),
      Accepted(
        rule: "an interim response before the response to HEAD",
        bytes: "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        methods: [.head],
        events: [.interim(103), .head(200), .end]),
      Accepted(
        rule: "§4 no phrase, and no blank before it", bytes: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
        events: [.head(200), .end]),
      Accepted(
        rule: "§4 a phrase in Latin-1", bytes: "HTTP/1.1 200 d\u{E9}j\u{E0}\r\nContent-Length: 0\r\n\r\n",
        events: [.head(200), .end]),
      Accepted(
        rule: "101", bytes: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        events: [.head(101), .end]),
      Accepted(rule: "§8 closed between responses", bytes: "", isClosed: true, events: []),
    ])
  func accepts(_ accepted: Accepted) throws {
    for length in [Int.max, 1, 2, 7] {
      let events = try read(
        accepted.bytes, methods: accepted.methods, isClosed: accepted.isClosed, pieces: length)
      #expect(events == accepted.events)
    }
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let rule: String
    let bytes: String
    var isClosed = false
    let error: MessageError

    var testDescription: String { rule }
  }

  @Test(
    "invalid responses are refused",
    arguments: [
      Refusal(rule: "§4 another protocol", bytes: "SSH", error: .malformedStatusLine),
      Refusal(rule: "§4 HTTP/2", bytes: "HTTP/2", error: .malformedStatusLine),
      Refusal(rule: "§4 two digits", bytes: "HTTP/1.1 20 ", error: .malformedStatusLine),
      Refusal(rule: "§4 four digits", bytes: "HTTP/1.1 2000", error: .malformedStatusLine),
      Refusal(rule: "§4 below 100", bytes: "HTTP/1.1 099 X\r", error: .malformedStatusLine),
      Refusal(rule: "§4 a truncated status line", bytes: "HTTP/1.1\r", error: .malformedStatusLine),
      Refusal(rule: "§2.2 LF alone", bytes: "HTTP/1.1 200 OK\n", error: .bareLineFeed),
      Refusal(rule: "§2.2 CR alone", bytes: "HTTP/1.1 200 OK\rX", error: .bareCarriageReturn),
      Refusal(
        rule: "§4 NUL in the phrase", bytes: "HTTP/1.1 200 \u{0}", error: .controlCharacter(0)),
      Refusal(rule: "§5.2 a folded field", bytes: "HTTP/1.1 200 OK\r\nA: b\r\n ", error: .foldedField),
      Refusal(
        rule: "§6.3 two lengths", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        error: .repeatedContentLength),
      Refusal(
        rule: "§6.3 both Content-Length and Transfer-Encoding",
        bytes: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        error: .transferEncodingAndContentLength),
      Refusal(
        rule: "§6.1 Transfer-Encoding in HTTP/1.0",
        bytes: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n",
        error: .transferEncodingBefore11),
      Refusal(
        rule: "§6.1 an unknown transfer coding",
        bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n",
        error: .unknownTransferCoding),
      Refusal(rule: "§8 closed in the head", bytes: "HTTP/1.1 200 OK\r\n", isClosed: true, error: .cutShort),
      Refusal(
        rule: "§8 closed in the content", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
        isClosed: true,
        error: .cutShort),
      Refusal(
        rule: "§8 closed in chunks", bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
        isClosed: true, error: .cutShort),
      Refusal(
        rule: "17 interim responses",
        bytes: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17),
        error: .tooManyInterimResponses(limit: 16)),
    ])
  func refuses(_ refusal: Refusal) {
    for length in [Int.max, 1, 3] {
      #expect(throws: refusal.error) {
        try read(refusal.bytes, methods: [.get], isClosed: refusal.isClosed, pieces: length)
      }
    }
  }

  @Test("a response is refused at the byte that exceeds the limit of its status line, head or body")
  func limits() {
    var limits = RequestLimits()
    limits.headBytes = 30
    limits.requestLineBytes = 20
    limits.bodyBytes = 2
    #expect(throws: MessageError.statusLineTooLong(limit: 20)) {
      try read("HTTP/1.1 200 12345678", methods: [.get], isClosed: false, pieces: 1, limits: limits)
    }
    #expect(throws: MessageError.headTooLarge(limit: 30)) {
      try read(
        "HTTP/1.1 200 OK\r\nAbcdefg: hijkl", methods: [.get], isClosed: false, pieces: 1, limits: limits)
    }
    #expect(throws: MessageError.bodyTooLarge(limit: 2, actual: 3)) {
      try read("HTTP/1.1 200 OK\r\n\r\nabc", methods: [.get], isClosed: false, pieces: 1, limits: limits)
    }
  }
}

@Suite("RFC 9112 §4: responses are written with status line, fields and content")
struct ResponseHeadTests {
  @Test("a response is written as status line, fields in order, and an empty line")
  func bytes() {
    let head = ResponseHead(.notFound, fields: ["Content-Length": "0", "Set-Cookie": "a", "Set-Cookie": "b"])
    var bytes: [UInt8] = []
    head.append(to: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n")
  }

  @Test("a status line without a reason phrase still ends with the space after the status code")
  func noPhrase() {
    var bytes: [UInt8] = []
    ResponseHead(599).append(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "HTTP/1.1 599 \r\n\r\n")
  }

  @Test(
    "RFC 9110 §5.5: control characters in a field value are replaced, so a value cannot add a line to the head"
  )
  func noSplitting() {
    let head = ResponseHead(.ok, fields: ["Location": "/a\r\nSet-Cookie: b\u{0}\u{7F}\u{E9}\u{2028}"])
    var bytes: [UInt8] = []
    head.append(to: &bytes)
    #expect(bytes == latin1("HTTP/1.1 200 OK\r\nLocation: /a  Set-Cookie: b  \u{E9}?\r\n\r\n"))
  }

  @Test("RFC 9112 §7.1: content is written in chunks")
  func chunks() {
    var bytes: [UInt8] = []
    let content = Array("0123456789abcdefg".utf8)
    ChunkWriter.append(content.span, to: &bytes)
    let nothing: [UInt8] = []
    ChunkWriter.append(nothing.span, to: &bytes)
    let three = Array("012".utf8)
    ChunkWriter.append(three.span, to: &bytes)
    ChunkWriter.appendEnd(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "11\r\n0123456789abcdefg\r\n3\r\n012\r\n0\r\n\r\n")
  }
}
