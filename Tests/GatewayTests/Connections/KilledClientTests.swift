import Testing
import Platform
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// P6: a client that is killed in any state leaves no resources behind.
  @Suite("P6: a client that is killed in any state leaves no resources behind")
  struct KilledClientTests {
    /// The state of the client when it is killed.
    enum State: CaseIterable {
      case connected, midHello, afterHello, afterHandshake, midHead, midBody, awaitingAnswer, midUpgrade,
        asked
      case upgraded, midJoin, joined, midFrame, midMessage, midClose, afterClose, waiting
    }

    /// The way in which the client's connection ends.
    enum Death: CaseIterable {
      /// The connection is reset, as when the process is killed while bytes are unread.
      case reset
      /// The client closes its sending direction (half-close), as when the process ends.
      case end
    }

    @Test("P6: a client killed in any state leaves no socket behind", arguments: [1, 2], Death.allCases)
    func killed(reactors: Int, death: Death) throws {
      let gateway = try RunningGateway(reactors: reactors) {
        $0.limits.graceSeconds = 1
        // The test does not wait as long as these deadlines, so it fails if a socket is closed only at a deadline.
        $0.limits.headSeconds = 3600
        $0.limits.idleSeconds = 3600
        $0.limits.joinSeconds = 3600
        $0.limits.messageSeconds = 3600
        $0.limits.bodyStallSeconds = 3600
      }
      let session = try gateway.makeSession()
      let metrics = try Metrics(of: gateway)
      for state in State.allCases {
        for isSecure in [false, true] {
          guard let stream = try Self.bring(to: state, gateway, session, isSecure) else { continue }
          switch death {
          case .reset: stream.cut()
          case .end: stream.close()
          }
        }
      }
      try metrics.waitForNoSockets()
      try metrics.wait(for: "nobody in the session") { $0["participants"] == 0 }
    }

    /// Returns the connection of a client that was brought to `state`; nil if `state` needs TLS and `isSecure` is false.
    private static func bring(
      to state: State, _ gateway: RunningGateway, _ session: SessionID, _ isSecure: Bool
    ) throws -> ByteStream? {
      func http() throws -> HTTPClient { try HTTPClient(gateway, isSecure: isSecure) }
      func socket() throws -> WebSocketClient {
        try WebSocketClient(gateway, session: session, isSecure: isSecure)
      }
      func joined() throws -> ParticipantClient {
        try ParticipantClient(gateway, session, isSecure: isSecure).join()
      }
      switch state {
      case .connected:
        return try ByteStream(to: gateway, isSecure: isSecure, shakesHands: false)
      case .midHello:
        guard isSecure else { return nil }
        let stream = try ByteStream(to: gateway, isSecure: true, shakesHands: false)
        try stream.sendRaw([0x16, 0x03, 0x01])
        return stream
      case .afterHello:
        guard isSecure else { return nil }
        let stream = try ByteStream(to: gateway, isSecure: true, shakesHands: false)
        try stream.sendHello()
        return stream
      case .afterHandshake:
        return try http().stream
      case .midHead:
        let client = try http()
        try client.stream.send(Array(client.head("GET", "/").dropLast(3)))
        return client.stream
      case .midBody:
        let client = try http()
        try client.stream.send(client.head("POST", "/api/sessions", ["Content-Length": "100"]) + [0x7b])
        return client.stream
      case .awaitingAnswer:
        let client = try http()
        try client.stream.send(
          (0..<20).flatMap { _ in client.head("GET", "/api/sessions/\(session.text)") })
        return client.stream
      case .midUpgrade:
        let client = try http()
        try client.stream.send(upgrade(client, session).dropLast())
        return client.stream
      case .asked:
        let client = try http()
        try client.stream.send(
          upgrade(client, session) + WebSocketClient.frame(.text, Array(#"{"join": {}}"#.utf8)))
        return client.stream
      case .upgraded:
        return try socket().stream
      case .midJoin:
        let client = try socket()
        try client.stream.send(
          Array(WebSocketClient.frame(.text, Array(#"{"join": {}}"#.utf8)).dropLast(4)))
        return client.stream
      case .joined:
        return try joined().socket?.stream
      case .midFrame:
        let client = try joined()
        let frame = WebSocketClient.frame(.binary, client.entry([UInt8](repeating: 1, count: 50_000)))
        try client.socket?.stream.send(Array(frame.prefix(30_000)))
        return client.socket?.stream
      case .midMessage:
        let client = try joined()
        var frame: [UInt8] = []
        FrameWriter.append(
          .binary, payload: [1, 2, 3].span, isFinal: false, maskingKey: .random(), to: &frame)
        try client.socket?.stream.send(frame)
        return client.socket?.stream
      case .midClose:
        let client = try joined()
        try client.socket?.stream.send(Array(WebSocketClient.frame(.close, [0x03, 0xe8]).dropLast()))
        return client.socket?.stream
      case .afterClose:
        let client = try joined()
        try client.socket?.send(.close, [0x03, 0xe8])
        return client.socket?.stream
      case .waiting:
        let client = try socket()
        try client.send(#"{"wait": {}}"#)
        return client.stream
      }
    }

    private static func upgrade(_ client: HTTPClient, _ session: SessionID) -> [UInt8] {
      client.head(
        "GET", WebSocketClient.path(of: session),
        [
          "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
          "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        ])
    }
  }
}
