import HTTP
import Testing

@Suite("RFC 9112: RequestReader parses requests")
struct RequestReaderTests {
  /// A request and its expected events; the body is the content after the head in `bytes`, without framing.
  struct Accepted: Sendable, CustomTestStringConvertible {
    let rule: String
    let bytes: String
    var method = Method.get
    var target = "/"
    var path = "/"
    var query: String?
    var authority: String? = "h"
    var framing = BodyFraming.none
    var body = ""
    var keepsAlive = true
    var expectsContinue = false
    var minorVersion = 1

    var testDescription: String { rule }
  }

  static let accepted = [
    Accepted(rule: "§3 the shortest request", bytes: "GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
    Accepted(
      rule: "§2.2 an empty line before the request line", bytes: "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
    Accepted(
      rule: "§3.2.1 origin-form with a query",
      bytes: "GET /a/b?c=d?e&f HTTP/1.1\r\nHost: h\r\n\r\n",
      target: "/a/b?c=d?e&f", path: "/a/b", query: "c=d?e&f"),
    Accepted(
      rule: "§3.2.1 an empty query is not a missing query", bytes: "GET /? HTTP/1.1\r\nHost: h\r\n\r\n",
      target: "/?",
      query: ""),
    Accepted(
      rule: "§3.2.2 absolute-form, whose host is the authority",
      bytes: "GET http://Other:81/a?b HTTP/1.1\r\nHost: h\r\n\r\n",
      target: "http://Other:81/a?b", path: "/a", query: "b", authority: "other:81"),
    Accepted(
      rule: "§3.2.2 absolute-form without a path",
      bytes: "GET HTTPS://o?b HTTP/1.1\r\nHost: h\r\n\r\n",
      target: "HTTPS://o?b", path: "/", query: "b", authority: "o"),
    Accepted(
      rule: "§3.2.4 asterisk-form", bytes: "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
      method: .options, target: "*", path: "*"),
    Accepted(
      rule: "§3.1 methods are case-sensitive", bytes: "get / HTTP/1.1\r\nHost: h\r\n\r\n",
      method: .other("get")),
    Accepted(
      rule: "§3.1 any token is accepted as a method",
      bytes: "!#$%&'*+-.^_`|~09 / HTTP/1.1\r\nHost: h\r\n\r\n",
      method: .other("!#$%&'*+-.^_`|~09")),
    Accepted(
      rule: "§2.3 a later minor version is treated as 1.1", bytes: "GET / HTTP/1.9\r\nHost: h\r\n\r\n"),
    Accepted(
      rule: "§9.3 HTTP/1.0 closes, and needs no Host", bytes: "GET / HTTP/1.0\r\n\r\n", authority: nil,
      keepsAlive: false, minorVersion: 0),
    Accepted(
      rule: "§9.3 HTTP/1.0 with keep-alive",
      bytes: "GET / HTTP/1.0\r\nHost: h\r\nConnection: Keep-Alive\r\n\r\n",
      minorVersion: 0),
    Accepted(
      rule: "§9.6 close, in a list", bytes: "GET / HTTP/1.1\r\nHost: h\r\nConnection: x, CLOSE\r\n\r\n",
      keepsAlive: false),
    Accepted(
      rule: "§9.6 close in the second field",
      bytes: "GET / HTTP/1.1\r\nHost: h\r\nConnection: x\r\nconnection:close\r\n\r\n",
      keepsAlive: false),
    Accepted(
      rule: "§5 no blank after the colon, and many blanks around a value",
      bytes: "GET / HTTP/1.1\r\nhOsT: \t h\t \r\nA:\r\nB:  \r\n\r\n"),
    Accepted(
      rule: "§5.5 obs-text in a value", bytes: "GET / HTTP/1.1\r\nHost: h\r\nA: caf\u{E9} \u{FC}\r\n\r\n"),
    Accepted(
      rule: "§7.2 Host with a port", bytes: "GET / HTTP/1.1\r\nHost: h:8080\r\n\r\n", authority: "h:8080"),
    Accepted(rule: "§7.2 Host with an empty port", bytes: "GET / HTTP/1.1\r\nHost: h:\r\n\r\n"),
    Accepted(
      rule: "§7.2 an IPv6 host", bytes: "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", authority: "[::1]:80"),
    Accepted(
      rule: "§6.2 a body with Content-Length",
      bytes: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
      method: .post, framing: .length(5), body: "hello"),
    Accepted(
      rule: "§6.2 a Content-Length of 0", bytes: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
      method: .post, framing: .length(0)),
    Accepted(
      rule: "§6.2 a Content-Length with leading zeros",
      bytes: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0002\r\n\r\nab",
      method: .post, framing: .length(2), body: "ab"),
    Accepted(
      rule: "§6.2 GET may have a body", bytes: "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab",
      framing: .length(2), body: "ab"),
    Accepted(
      rule: "§6.2 HTTP/1.0 with a length", bytes: "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab",
      method: .post, authority: nil, framing: .length(2), body: "ab", keepsAlive: false, minorVersion: 0),
    Accepted(
      rule: "§7.1 two chunks", bytes: chunked + "3\r\nabc\r\n0a\r\n0123456789\r\n0\r\n\r\n",
      method: .post, framing: .chunked, body: "abc0123456789"),
    Accepted(
      rule: "§7.1 an empty chunked body", bytes: chunked + "0\r\n\r\n", method: .post, framing: .chunked),
    Accepted(
      rule: "§7.1 a chunk that looks like the end", bytes: chunked + "7\r\n\r\n0\r\n\r\n\r\n000\r\n\r\n",
      method: .post, framing: .chunked, body: "\r\n0\r\n\r\n"),
    Accepted(
      rule: "§7.1 chunk sizes of sixteen digits",
      bytes: chunked + "0000000000000002\r\nab\r\n0000000000000000\r\n\r\n",
      method: .post, framing: .chunked, body: "ab"),
    Accepted(
      rule: "§7.1.1 chunk extensions", bytes: chunked + "2;a=b;c=\"d;e\";f\r\nab\r\n0;last\r\n\r\n",
      method: .post, framing: .chunked, body: "ab"),
    Accepted(
      rule: "§7.1.2 trailers are ignored",
      bytes: chunked + "2\r\nab\r\n0\r\nContent-Length: 9\r\nHost: x\r\nA: b\r\n\r\n",
      method: .post, framing: .chunked, body: "ab"),
    Accepted(
      rule: "§7.1 the coding's name in any case",
      bytes: "POST / HTTP/1.1\r\nHost: h\r\ntransfer-encoding:\tCHUNKED\t\r\n\r\n1\r\na\r\n0\r\n\r\n",
      method: .post, framing: .chunked, body: "a"),
    Accepted(
      rule: "RFC 9110 §10.1.1 Expect",
      bytes: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\na",
      method: .post, framing: .length(1), body: "a", expectsContinue: true),
    Accepted(
      rule: "RFC 9110 §10.1.1 Expect is ignored without a body",
      bytes: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n",
      method: .post, framing: .length(0)),
    Accepted(
      rule: "RFC 9110 §10.1.1 Expect is ignored in HTTP/1.0",
      bytes: "POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue, x\r\n\r\na",
      method: .post, authority: nil, framing: .length(1), body: "a", keepsAlive: false, minorVersion: 0),
  ]

  private static let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test(
    "a valid request is accepted as a whole, divided at any byte, and with another request after it",
    arguments: accepted)
  func accepts(_ accepted: Accepted) throws {
    let bytes = latin1(accepted.bytes)
    let whole = Reading(bytes)
    #expect(whole.error == nil)
    #expect(whole.rest == 0)
    guard case .head(let head)? = whole.events.first else {
      Issue.record("no head")
      return
    }
    #expect(head.method == accepted.method)
    #expect(head.target == accepted.target)
    #expect(head.path == accepted.path)
    #expect(head.query == accepted.query)
    #expect(head.authority?.description == accepted.authority)
    #expect(head.body == accepted.framing)
    #expect(head.keepsAlive == accepted.keepsAlive)
    #expect(head.expectsContinue == accepted.expectsContinue)
    #expect(head.minorVersion == accepted.minorVersion)
    let body: [Reading.Event] = accepted.body.isEmpty ? [] : [.body(latin1(accepted.body))]
    #expect(whole.joined == [.head(head)] + body + [.end])

    for length in [1, 2, 3, 5, 13] {
      #expect(Reading(bytes, pieces: length).joined == whole.joined)
    }
    for length in [Int.max, 1, 7] {
      #expect(Reading(bytes + bytes, pieces: length).joined == whole.joined + whole.joined)
    }
  }

  @Test(
    "a prefix of a valid request is never refused, and the remaining bytes complete the request",
    arguments: accepted)
  func prefixes(_ accepted: Accepted) {
    let bytes = latin1(accepted.bytes)
    let whole = Reading(bytes).joined
    for cut in 0...bytes.count {
      let reading = Reading([Array(bytes[..<cut]), Array(bytes[cut...])])
      #expect(reading.error == nil)
      #expect(reading.joined == whole)
    }
  }

  @Test("RFC 9112 §6: content is returned as a range of the bytes that were passed to the reader")
  func ranges() throws {
    var reader = RequestReader()
    let bytes = Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nabcdGET".utf8)
    var position = 0
    guard case .head = try reader.next(in: bytes.span, at: &position) else {
      Issue.record("no head")
      return
    }
    #expect(position == 47)
    #expect(try reader.next(in: bytes.span, at: &position) == .body(47..<51))
    #expect(try reader.next(in: bytes.span, at: &position) == .end)
    #expect(position == 51)
    #expect(reader.isBetweenRequests)
    #expect(try reader.next(in: bytes.span, at: &position) == nil)
    #expect(position == 54)
    #expect(reader.isInHead)
  }

  @Test("RFC 9110 §7.8: after an upgrade, the reader leaves the remaining bytes to the new protocol")
  func upgrade() throws {
    var reader = RequestReader()
    let text = "GET /s HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\r\n"
    let bytes = Array(text.utf8) + [0x81, 0x80, 0, 0, 0, 0]
    var position = 0
    guard case .head(let head)? = try reader.next(in: bytes.span, at: &position) else {
      Issue.record("no head")
      return
    }
    #expect(head.fields.contains("upgrade", in: "Connection"))
    #expect(Array(bytes[position...]) == [0x81, 0x80, 0, 0, 0, 0])
  }

  @Test("the reader reports the end of a request without waiting for another byte")
  func endWithoutBytes() throws {
    var reader = RequestReader()
    let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
    var position = 0
    _ = try reader.next(in: bytes.span, at: &position)
    position = 0
    let nothing: [UInt8] = []
    #expect(try reader.next(in: nothing.span, at: &position) == .end)
    #expect(try reader.next(in: nothing.span, at: &position) == nil)
  }

  @Test(
    "The reader skips content that the caller has received itself, and then parses the rest of the body and the next request"
  )
  func skippedContent() throws {
    var reader = RequestReader()
    #expect(reader.contentLeft == 0)
    let bytes = Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n".utf8)
    var position = 0
    _ = try reader.next(in: bytes.span, at: &position)
    #expect(reader.contentLeft == 10)
    reader.skipContent(7)
    #expect(reader.contentLeft == 3)
    let rest = Array("xyzGET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
    position = 0
    #expect(try reader.next(in: rest.span, at: &position) == .body(0..<3))
    #expect(try reader.next(in: rest.span, at: &position) == .end)
    #expect(reader.contentLeft == 0)
    guard case .head = try reader.next(in: rest.span, at: &position) else {
      Issue.record("no head after the body")
      return
    }
  }

  @Test(
    "`contentLeft` is 0 for a chunked body and for a body over the limit, so the caller cannot skip their content"
  )
  func unskippableContent() throws {
    for framing in ["Transfer-Encoding: chunked", "Content-Length: 10"] {
      var reader = RequestReader()
      let bytes = Array("POST / HTTP/1.1\r\nHost: h\r\n\(framing)\r\n\r\n".utf8)
      var position = 0
      _ = try reader.next(in: bytes.span, at: &position)
      reader.bodyLimit = 9
      #expect(reader.contentLeft == 0)
    }
  }

  @Test("a request that is written is parsed as the same request", arguments: accepted)
  func roundTrip(_ accepted: Accepted) throws {
    guard case .head(let head)? = Reading(latin1(accepted.bytes)).events.first else {
      Issue.record("no head")
      return
    }
    var bytes: [UInt8] = []
    head.append(to: &bytes)
    guard case .head(let again)? = Reading(bytes).events.first else {
      Issue.record("no head the second time")
      return
    }
    #expect(again == head)
  }
}
