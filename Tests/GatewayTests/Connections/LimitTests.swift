import HTTP
import Testing
import Platform
import WebSocket
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// P6: when a limit is reached, the error contains the limit.
  @Suite("P6: limits on connections, requests, messages and sessions")
  struct LimitTests {
    @Test(
      "P6: beyond `connections`, a new connection is refused with the reason, until another connection closes",
      arguments: [1, 2])
    func connections(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors) { $0.limits.connections = 3 }
      var clients = try (0..<3).map { _ in try HTTPClient(gateway) }
      for client in clients { #expect(try client.ask("GET", "/healthz").status == 200) }
      let refused = try HTTPClient(gateway)
      let answer = try refused.ask("GET", "/api/limits")
      #expect(answer.status == 503)
      #expect(answer.field("Retry-After") != nil)
      #expect(answer.text.contains("too-many") && answer.text.contains(#""limit":3"#))
      clients.removeLast().stream.cut()
      let deadline = TestTimeout.deadline
      while true {
        let next = try HTTPClient(gateway)
        if try next.ask("GET", "/api/limits").status == 200 { break }
        try #require(.now() < deadline)
      }
    }

    @Test(
      "P6: beyond `sessionsPerAddressPerMinute`, a new session is refused with 429, the limit and a retry time",
      arguments: [1, 2])
    func sessionRate(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors) { $0.limits.sessionsPerAddressPerMinute = 4 }
      for _ in 0..<4 { _ = try gateway.makeSession() }
      let answer = try HTTPClient(gateway).ask("POST", "/api/sessions", body: [])
      #expect(answer.status == 429)
      #expect(answer.text.contains("too-many") && answer.text.contains(#""limit":4"#))
      let seconds = try #require(answer.field("Retry-After").flatMap { Int($0) })
      #expect((1...60).contains(seconds))
    }

    @Test("P6: beyond `sessions`, a new session is refused with 503, until a session has ended")
    func sessions() throws {
      let gateway = try RunningGateway(reactors: 2) { $0.limits.sessions = 2 }
      let http = try HTTPClient(gateway)
      let first = try http.makeSession()
      _ = try gateway.makeSession()
      #expect(try http.ask("POST", "/api/sessions", body: []).status == 503)
      let member = try ParticipantClient(gateway, first).join()
      let token = try #require(member.joined?.token.text)
      #expect(
        try http.ask("DELETE", "/api/sessions/\(first.text)", ["Participant-Token": token]).status == 204)
      _ = try http.makeSession()
    }

    @Test(
      "P6: a join beyond `participantsPerSession` closes its socket with 4005; after a leave, a join succeeds"
    )
    func participants() throws {
      let gateway = try RunningGateway { $0.limits.participantsPerSession = 2 }
      let session = try gateway.makeSession()
      let first = try ParticipantClient(gateway, session).join()
      let second = try ParticipantClient(gateway, session).join()
      let third = try WebSocketClient(gateway, session: session)
      try third.send(#"{"join": {}}"#)
      #expect(try third.readClose() == 4005)
      try second.socket?.send(#"{"leave": {}}"#)
      try first.read(until: "the news") { $0.received.contains { $0.type == SystemType.participants } }
      try second.read(until: "the close") { $0.closed == 1000 }
      try ParticipantClient(gateway, session).join()
    }

    @Test(
      "PROTOCOL 2.1: a socket without a `join` within `joinSeconds` is closed with 4001, even if it sends pongs",
      arguments: [false, true])
    func joinDeadline(isSecure: Bool) throws {
      let gateway = try RunningGateway { $0.limits.joinSeconds = 1 }
      let socket = try WebSocketClient(gateway, session: gateway.makeSession(), isSecure: isSecure)
      try socket.send(.pong, [])
      #expect(try socket.readClose() == 4001)
    }

    @Test(
      "P6: a request head that is incomplete after `headSeconds` is answered with 408, even if bytes still arrive",
      arguments: [false, true])
    func headDeadline(isSecure: Bool) throws {
      // The limit applies to the TLS handshake too, and to the time before the first byte of the head.
      let gateway = try RunningGateway { $0.limits.headSeconds = TestTimeout.briefSeconds }
      let client = try HTTPClient(gateway, isSecure: isSecure)
      let deadline = TestTimeout.deadline
      for byte in client.head("GET", "/", ["X-Slow": String(repeating: "y", count: 10_000)]) {
        try client.stream.send([byte])
        if try client.stream.isReadable(within: .milliseconds(50)) { break }
        try #require(.now() < deadline)
      }
      #expect(try client.response().status == 408)
      try client.stream.drainToEnd()
    }

    @Test("P6: a request body without new bytes for `bodyStallSeconds` is answered with 408")
    func bodyDeadline() throws {
      let client = try HTTPClient(RunningGateway { $0.limits.bodyStallSeconds = 1 })
      try client.stream.send(client.head("POST", "/api/sessions", ["Content-Length": "10"]) + [0x7b])
      let answer = try client.response()
      #expect(answer.status == 408)
      #expect(answer.text.contains(#""limit":1"#))
    }

    @Test(
      "P6: a silent connection is closed after `headSeconds`, or `idleSeconds` if it has sent a request",
      arguments: [(false, false), (false, true), (true, false), (true, true)])
    func idleDeadline(hasAsked: Bool, isSecure: Bool) throws {
      let gateway = try RunningGateway {
        // The limit applies to the TLS handshake too, which must succeed.
        $0.limits.headSeconds = hasAsked ? 600 : TestTimeout.briefSeconds
        $0.limits.idleSeconds = hasAsked ? 1 : 600
      }
      let client = try HTTPClient(gateway, isSecure: isSecure)
      if hasAsked { #expect(try client.ask("GET", "/healthz").status == 200) }
      try client.stream.drainToEnd()
      #expect(client.stream.unread.isEmpty)
    }

    @Test("P6: a TLS connection whose handshake is incomplete after `headSeconds` is closed")
    func handshakeDeadline() throws {
      let gateway = try RunningGateway { $0.limits.headSeconds = 1 }
      let silent = try ByteStream(to: gateway, isSecure: true, shakesHands: false)
      let begun = try ByteStream(to: gateway, isSecure: true, shakesHands: false)
      try begun.sendRaw([0x16, 0x03, 0x01, 0x02, 0x00])
      try silent.drainToEnd()
      try begun.drainToEnd()
    }

    @Test(
      "P6: if incomplete messages exceed `incompleteBytes`, a socket is closed with 1013, and the other sockets stay open",
      arguments: [1, 2])
    func incompleteBytes(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors) { $0.limits.incompleteBytes = 300_000 }
      let session = try gateway.makeSession()
      let metrics = try Metrics(of: gateway)
      let clients = try (0..<4).map { _ in try ParticipantClient(gateway, session).join() }
      for client in clients.prefix(3) {
        // Sends 90,000 of the 200,000 bytes of a message.
        let frame = WebSocketClient.frame(.binary, client.entry([UInt8](repeating: 1, count: 200_000)))
        try client.socket?.stream.send(Array(frame.prefix(90_000)))
      }
      try metrics.wait(for: "half-received messages") { ($0["incomplete_bytes"] ?? 0) > 250_000 }
      let last = clients[3]
      let frame = WebSocketClient.frame(.binary, last.entry([UInt8](repeating: 1, count: 200_000)))
      try last.socket?.stream.send(Array(frame.prefix(90_000)))
      try last.read(until: "the close") { $0.closed == 1013 }
      let stays = clients[0]
      #expect(stays.closed == nil)
      for client in clients { client.cut() }
      try metrics.waitForNoSockets()
    }

    @Test(
      "P6: if incomplete requests exceed `incompleteBytes`, one request is answered with 503, and small requests are still served"
    )
    func incompleteRequests() throws {
      let gateway = try RunningGateway { $0.limits.incompleteBytes = 200_000 }
      let metrics = try Metrics(of: gateway)
      var clients: [HTTPClient] = []
      let field = [UInt8](repeating: 0x78, count: 15_000)
      for number in 0..<12 {
        let client = try HTTPClient(gateway)
        if number.isMultiple(of: 2) {
          try client.stream.send(client.head("GET", "/").dropLast(2) + Array("A: ".utf8) + field)
        } else {
          try client.stream.send(
            client.head("POST", "/api/sessions", ["Content-Length": "100000"]) + field + field)
        }
        clients.append(client)
        // The test waits until the gateway has read this request. So the request that exceeds the limit is always the newest one.
        try metrics.wait(for: "the bytes of this request") {
          ($0["incomplete_bytes"] ?? 0) > 200_000 - 30_000
            || ($0["incomplete_bytes"] ?? 0) >= 13_000 * (number + 1)
        }
      }
      let refused = try #require(clients.last)
      let answer = try refused.response()
      #expect(answer.status == 503 && answer.field("Retry-After") != nil)
      #expect(answer.text.contains("too-many") && answer.text.contains(#""limit":200000"#))
      #expect(try HTTPClient(gateway).ask("POST", "/api/sessions").status == 201)
      #expect(try metrics.value("incomplete_bytes") <= 200_000)
      for client in clients { client.stream.cut() }
      try metrics.waitForNoSockets()
    }

    @Test("P6: if a message is incomplete after `messageSeconds`, its socket is closed")
    func messageDeadline() throws {
      let gateway = try RunningGateway { $0.limits.messageSeconds = 1 }
      let client = try ParticipantClient(gateway, gateway.makeSession()).join()
      let frame = WebSocketClient.frame(.binary, client.entry([1, 2, 3]))
      try client.socket?.stream.send(Array(frame.dropLast()))
      try client.read(until: "the close") { $0.closed == 1008 }
    }
  }
}
