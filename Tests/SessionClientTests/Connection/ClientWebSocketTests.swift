import Testing
import WebSocket

@testable import SessionClient

/// The protocol state of the client's WebSocket, without a TCP socket.
@Suite("ClientWebSocket opens, reads and closes the client's WebSocket")
struct ClientWebSocketTests {
  private typealias Event = ClientWebSocket.Event

  /// The pieces in which received bytes are passed to the WebSocket.
  enum Cut: CaseIterable {
    case whole
    case byByte
  }

  /// Returns the 101 response to an upgrade request, with the accept value for the request's key.
  private static func agreement(to request: [UInt8], _ more: String = "") throws -> [UInt8] {
    let lines = String(decoding: request, as: UTF8.self).split(separator: "\r\n")
    let key = try #require(lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }).dropFirst(19)
    let evaluated = try UpgradeRequest.evaluate(
      method: "GET", minorVersion: 1,
      fields: [
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", String(key)),
      ])
    return Array(
      """
      HTTP/1.1 101 Switching Protocols\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Accept: \(evaluated.accept)\r
      \(more)\r

      """.utf8)
  }

  /// Passes received bytes to the WebSocket, and returns its events.
  private static func feed(
    _ bytes: [UInt8], to webSocket: inout ClientWebSocket, cut: Cut = .whole
  ) -> [Event] {
    let inflater = Inflater()
    var events: [Event] = []
    for piece in cut == .whole ? [bytes] : bytes.map({ [$0] }) {
      var buffer = piece
      var position = 0
      while let event = webSocket.next(in: &buffer, at: &position, upTo: piece.count, inflater: inflater) {
        events.append(event)
      }
    }
    return events
  }

  private static func opened(_ more: String = "") throws -> ClientWebSocket {
    var webSocket = ClientWebSocket(path: "/s", authority: "here")
    let request = webSocket.takeOutgoing(answersPings: true)
    #expect(feed(try agreement(to: request, more), to: &webSocket) == [.opened])
    return webSocket
  }

  /// Parses bytes that the client sends, and returns their frames with unmasked payloads.
  private static func frames(_ bytes: [UInt8]) throws -> [MessageReader.Event] {
    var reader = MessageReader(role: .server, limits: MessageLimits(messageBytes: 1 << 20))
    var (buffer, position) = (bytes, 0)
    var events: [MessageReader.Event] = []
    while let event = try reader.next(in: &buffer, at: &position, upTo: bytes.count) { events.append(event) }
    return events
  }

  @Test("The upgrade request states path, host and subprotocol, and offers compression")
  func request() {
    var webSocket = ClientWebSocket(path: "/api/sessions/x/socket", authority: "here:81")
    let lines = String(decoding: webSocket.takeOutgoing(answersPings: true), as: UTF8.self)
      .split(separator: "\r\n").map(String.init)
    #expect(lines.first == "GET /api/sessions/x/socket HTTP/1.1")
    #expect(lines.contains("Host: here:81"))
    #expect(lines.contains("Sec-WebSocket-Protocol: drawtogether.v1"))
    #expect(lines.contains { $0.hasPrefix("Sec-WebSocket-Extensions: permessage-deflate;") })
    #expect(!webSocket.hasOutgoing)
  }

  @Test(
    "Whole messages are reported, whether their bytes arrive together or one by one", arguments: Cut.allCases)
  func messages(_ cut: Cut) throws {
    var webSocket = try Self.opened()
    // A text message in two fragments with a ping between them, an empty binary message, and a binary message of 3 bytes.
    let bytes: [UInt8] =
      [0x01, 0x02, 0x68, 0x65] + [0x89, 0x01, 0x21] + [0x80, 0x01, 0x79] + [0x82, 0x00]
      + [0x82, 0x03, 1, 2, 3]
    #expect(
      Self.feed(bytes, to: &webSocket, cut: cut) == [
        .text(Array("hey".utf8)), .entries([]), .entries([1, 2, 3]),
      ])
    #expect(try Self.frames(webSocket.takeOutgoing(answersPings: true)) == [.pong([0x21])])
  }

  @Test("A compressed message is inflated, unless the result is above the message limit")
  func compressed() throws {
    let agreed =
      "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n"
    var webSocket = try Self.opened(agreed)
    // The compressed message "Hello" from RFC 7692 §7.2.3.1.
    let hello: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    #expect(Self.feed(hello, to: &webSocket) == [.text(Array("Hello".utf8))])
    var bomb: [UInt8] = []
    var deflated: [UInt8] = []
    Deflater().compress([UInt8](repeating: 0, count: 9 << 20).span, into: &deflated)
    FrameWriter.append(.binary, payload: deflated.span, isCompressed: true, to: &bomb)
    guard case .ended(.broken)? = Self.feed(bomb, to: &webSocket).first else {
      Issue.record("a message of 9 MiB was accepted")
      return
    }
  }

  @Test("Only the newest of many pings is answered, and only when the caller allows answers")
  func pings() throws {
    var webSocket = try Self.opened()
    for number in UInt8(0)..<100 { _ = Self.feed([0x89, 0x01, number], to: &webSocket) }
    #expect(webSocket.takeOutgoing(answersPings: false).isEmpty)
    #expect(try Self.frames(webSocket.takeOutgoing(answersPings: true)) == [.pong([99])])
    #expect(webSocket.takeOutgoing(answersPings: true).isEmpty)
  }

  @Test("A received close frame is answered with the same code, and ends the WebSocket")
  func closed() throws {
    var webSocket = try Self.opened()
    let events = Self.feed([0x88, 0x04, 0x0F, 0xAA, 0x7B, 0x7D, 0x82, 0x00], to: &webSocket)
    #expect(events == [.ended(.closed(code: 4010, reason: Array("{}".utf8)))])
    #expect(
      try Self.frames(webSocket.takeOutgoing(answersPings: true)) == [
        .close(CloseCode(rawValue: 4010), reason: "")
      ])
    #expect(webSocket.hasEnded)
    #expect(webSocket.finish() == nil)
  }

  @Test("A received close frame without a code is reported as 1005, and answered without a code")
  func closedWithoutCode() throws {
    var webSocket = try Self.opened()
    #expect(Self.feed([0x88, 0x00], to: &webSocket) == [.ended(.closed(code: 1005, reason: []))])
    #expect(
      try Self.frames(webSocket.takeOutgoing(answersPings: true)) == [.close(nil, reason: "")])
  }

  @Test("After the client has sent a close frame, received frames cause no events and no answers")
  func closing() throws {
    var webSocket = try Self.opened()
    webSocket.send(.text, Array("last".utf8).span)
    webSocket.close(code: 1000)
    #expect(!webSocket.isOpen)
    #expect(
      try Self.frames(webSocket.takeOutgoing(answersPings: true)).last
        == .close(.normalClosure, reason: ""))
    let late: [UInt8] = [0x82, 0x01, 1, 0x89, 0x00]
    #expect(Self.feed(late, to: &webSocket).isEmpty)
    #expect(!webSocket.hasOutgoing)
    #expect(Self.feed([0x88, 0x02, 0x03, 0xE8], to: &webSocket).isEmpty)
    #expect(webSocket.hasEnded && !webSocket.hasOutgoing)
  }

  /// A violation of the WebSocket protocol, and the close code that the client sends.
  struct Fault: Sendable, CustomTestStringConvertible {
    let rule: String
    let bytes: [UInt8]
    let code: UInt16

    var testDescription: String { rule }
  }

  @Test(
    "A violation of the protocol ends the WebSocket, with the matching close code",
    arguments: [
      Fault(rule: "a masked frame", bytes: [0x82, 0x80, 0, 0, 0, 0], code: 1002),
      Fault(rule: "a length of 2^62 bytes", bytes: [0x82, 0x7F, 0x40, 0, 0, 0, 0, 0, 0, 0], code: 1009),
      Fault(rule: "a text of 2 MiB", bytes: [0x81, 0x7F, 0, 0, 0, 0, 0, 0x20, 0, 0], code: 1009),
      Fault(rule: "a reserved opcode", bytes: [0x83, 0x00], code: 1002),
      Fault(rule: "compression that was not agreed on", bytes: [0xC2, 0x01, 0], code: 1002),
      Fault(rule: "text that is not UTF-8", bytes: [0x81, 0x01, 0xFF], code: 1007),
      Fault(rule: "a continuation frame without a first frame", bytes: [0x80, 0x00], code: 1002),
    ], Cut.allCases)
  func faults(_ fault: Fault, _ cut: Cut) throws {
    var webSocket = try Self.opened()
    let events = Self.feed(fault.bytes, to: &webSocket, cut: cut)
    guard case .ended(.broken)? = events.first, events.count == 1 else {
      Issue.record("\(events)")
      return
    }
    guard
      case .close(let code?, _)? = try Self.frames(webSocket.takeOutgoing(answersPings: true)).first
    else {
      Issue.record("no close frame")
      return
    }
    #expect(code.rawValue == fault.code)
  }

  /// A response to the upgrade request, and the end of the WebSocket that it causes.
  struct Answer: Sendable, CustomTestStringConvertible {
    let text: String
    let end: SocketEnd
    var endsStream = false

    var testDescription: String { String(text.prefix(40)) }
  }

  @Test(
    "Without a 101 response, the WebSocket ends; the reason says if the server refused, redirected, or closed the connection",
    arguments: [
      Answer(
        text: "HTTP/1.1 403 Forbidden\r\nContent-Length: 28\r\n\r\n{\"detail\":\"Another origin.\"}x",
        end: .refused(status: 403, detail: "Another origin.", retryAfter: nil)),
      Answer(
        text: "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno",
        end: .refused(
          status: 503, detail: "Service Unavailable (status 503)", retryAfter: .seconds(7))),
      Answer(
        text: "HTTP/1.1 429 Too Many Requests\r\nRetry-After: soon\r\nContent-Length: 100\r\n\r\n{\"det",
        end: .refused(status: 429, detail: "Too Many Requests (status 429)", retryAfter: nil),
        endsStream: true),
      Answer(
        text: "HTTP/1.1 308 Permanent Redirect\r\nLocation: https://here:81/api/sessions/secret/socket\r\n"
          + "Content-Length: 0\r\n\r\n",
        end: .noGateway("The server redirects to https://here:81 (status 308).")),
      Answer(
        text: "HTTP/1.1 302 Found\r\nLocation: /login?from=secret\r\nContent-Length: 0\r\n\r\n",
        end: .noGateway("The server redirects (status 302).")),
      Answer(
        text: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        end: .noGateway("The server answers the WebSocket upgrade request with status 200.")),
      Answer(
        text: "HTTP/1.1 404 Not Found\r\n",
        end: .broken(
          "The connection ended before the WebSocket upgrade request was answered."), endsStream: true),
    ], Cut.allCases)
  func answers(_ answer: Answer, _ cut: Cut) {
    var webSocket = ClientWebSocket(path: "/s", authority: "here")
    _ = webSocket.takeOutgoing(answersPings: true)
    var events = Self.feed(Array(answer.text.utf8), to: &webSocket, cut: cut)
    if answer.endsStream, let last = webSocket.finish() { events.append(last) }
    #expect(events == [.ended(answer.end)])
    #expect(webSocket.finish() == nil)
  }

  @Test(
    "A server that speaks another protocol is reported as not being a gateway",
    arguments: [
      "SSH-2.0-OpenSSH_9.6\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
      "HTTP/1.1 999999\r\n\r\n", String(repeating: "a", count: 20_000), "\0\0\0\0",
    ])
  func somethingElse(_ text: String) {
    var webSocket = ClientWebSocket(path: "/s", authority: "here")
    _ = webSocket.takeOutgoing(answersPings: true)
    guard case .ended(.noGateway)? = Self.feed(Array(text.utf8), to: &webSocket).first else {
      Issue.record("taken for a gateway")
      return
    }
  }
}
