import Testing
import Platform
import TestSupport
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// DESIGN, Threads: a session belongs to one reactor, but can be used over the connections of all reactors.
  @Suite("Sessions of each reactor can be used over the connections of all reactors")
  struct HandoverTests {
    struct Way: CustomTestStringConvertible {
      let isSecure: Bool
      /// The way in which frames are sent together with the HTTP request; nil if the frames are sent after the response.
      let packets: WebSocketClient.Packets?

      var testDescription: String {
        let behind = packets.map { "frames sent with the request, \($0)" } ?? "frames after the answer"
        return "\(isSecure ? "TLS" : "plain"), \(behind)"
      }

      static let all =
        [false, true].flatMap { isSecure in
          [nil, .one, .byByte].map { Way(isSecure: isSecure, packets: $0) }
        } + [Way(isSecure: true, packets: .cutRecord)]
    }

    @Test("A socket on any reactor can join a session of any reactor", arguments: Way.all)
    func join(_ way: Way) throws {
      let gateway = try RunningGateway(reactors: 2)
      let metrics = try Metrics(of: gateway)
      for (asked, owner) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let session = try gateway.makeSession(on: owner)
        let http = try HTTPClient.on(reactor: asked, of: gateway, isSecure: way.isSecure)
        let client = ParticipantClient(gateway, session, isSecure: way.isSecure)
        let join = WebSocketClient.frame(.text, client.joinMessage())
        // The pong to a ping after the join shows that the gateway still reads whole frames.
        let behind = join + WebSocketClient.frame(.ping, [1, 2, 3])
        let socket = try WebSocketClient(
          upgrading: http, to: WebSocketClient.path(of: session),
          behind: way.packets == nil ? [] : behind, in: way.packets ?? .one)
        if way.packets == nil { try socket.stream.send(behind) }
        try client.begin(on: socket)
        let entry = client.entry([7, 7], retention: .replace, key: EntryKey(high: 1, low: 2))
        try client.send(entry)
        try client.read(until: "the entry") { $0.received.contains { $0.payload == [7, 7] } }
        #expect(client.received.last?.clientSequence == 1)
        client.cut()
      }
      try metrics.waitForNoSockets()
    }

    @Test(
      "A ping on a connection that was transferred between reactors is answered with a pong",
      arguments: [false, true])
    func pong(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession(on: 1)
      let http = try HTTPClient.on(reactor: 0, of: gateway, isSecure: isSecure)
      let socket = try WebSocketClient(
        upgrading: http, to: WebSocketClient.path(of: session), offersDeflate: true,
        behind: WebSocketClient.frame(.ping, [4, 5]))
      #expect(try socket.next() == .pong([4, 5]))
    }

    @Test(
      "Requests that are pipelined after a refused WebSocket upgrade are answered", arguments: [false, true])
    func refusedUpgrade(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession(on: 1)
      let http = try HTTPClient.on(reactor: 0, of: gateway, isSecure: isSecure)
      // The answer to a plain GET of the socket's address is 426 (PROTOCOL 2), and the connection stays open.
      try http.stream.send(
        http.head("GET", WebSocketClient.path(of: session)) + http.head("GET", "/healthz")
          + http.head("GET", "/api/sessions/\(session.text)"))
      #expect(try http.response().status == 426)
      #expect(try http.response().text == "{\"status\":\"alive\"}\n")
      let described = try http.response()
      #expect(described.status == 200)
      #expect(described.text.contains(session.text))
    }

    @Test(
      "PROTOCOL 1: GET and DELETE for a session of another reactor work, and requests pipelined after them are answered",
      arguments: [false, true])
    func otherSession(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession(on: 1)
      let member = try ParticipantClient(gateway, session).join()
      let token = try #require(member.joined?.token)
      let http = try HTTPClient.on(reactor: 0, of: gateway, isSecure: isSecure)
      let path = "/api/sessions/\(session.text)"
      try http.stream.send(
        http.head("GET", path) + http.head("GET", "/healthz") + http.head("HEAD", path)
          + http.head("DELETE", path) + http.head("GET", "/js/main.js")
          + http.head("DELETE", path, ["Participant-Token": token.text]) + http.head("GET", path)
          + http.head("GET", "/"))
      let described = try http.response()
      #expect(described.status == 200)
      #expect(described.text.contains(#""participants":1"#))
      #expect(try http.response().text == "{\"status\":\"alive\"}\n")
      #expect(try http.response(to: "HEAD").status == 200)
      let refused = try http.response()
      #expect(refused.status == 403)
      #expect(refused.text.contains("token-needed"))
      #expect(try http.response().text == RunningGateway.script)
      #expect(try http.response().status == 204)
      #expect(try http.response().status == 410)
      #expect(try http.response().text == RunningGateway.page)
      try member.read(until: "the session's end") { $0.closed == 4010 }
    }

    @Test(
      "PROTOCOL 1: requests that name a session of another reactor in `follows` create one successor",
      arguments: [false, true])
    func follows(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession(on: 1)
      let member = try ParticipantClient(gateway, session).join()
      let token = try #require(member.joined?.token)
      let http = try HTTPClient.on(reactor: 0, of: gateway, isSecure: isSecure)
      let body = Array(#"{"follows": "\#(session.text)"}"#.utf8)
      let first = try http.ask("POST", "/api/sessions", ["Participant-Token": token.text], body: body)
      let second = try http.ask("POST", "/api/sessions", ["Participant-Token": token.text], body: body)
      #expect(first.status == 201)
      #expect(second.status == 200)
      let location = try #require(first.field("Location"))
      #expect(second.field("Location") == location)
      try member.read(until: "newSession") { $0.received.contains { $0.type == SystemType.newSession } }
      #expect(try http.ask("GET", location).status == 200)
    }

    @Test(
      "One connection can be used alternately for sessions of two reactors", arguments: [false, true])
    func bothReactors(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let metrics = try Metrics(of: gateway)
      let sessions = try [0, 1].map { try gateway.makeSession(on: $0) }
      let http = try HTTPClient.on(reactor: 0, of: gateway, isSecure: isSecure)
      for session in [sessions[1], sessions[0], sessions[0], sessions[1], sessions[0]] {
        let described = try http.ask("GET", "/api/sessions/\(session.text)")
        #expect(described.status == 200)
        #expect(described.text.contains(session.text))
        // This request is answered by the reactor to which the connection was transferred.
        #expect(try http.ask("GET", "/healthz").status == 200)
      }
      http.stream.close()
      try metrics.waitForNoSockets()
    }

    @Test(
      "Sessions created over one connection are spread evenly over the reactors, and pipelined requests are answered",
      arguments: [false, true])
    func spread(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let metrics = try Metrics(of: gateway)
      let http = try HTTPClient(gateway, isSecure: isSecure)
      let create = http.head("POST", "/api/sessions", ["Content-Length": "2"]) + Array("{}".utf8)
      var counts = [0, 0]
      for _ in 0..<20 { counts[try http.makeSession().reactor(of: 2)] += 1 }
      #expect(counts == [10, 10])
      var requests: [UInt8] = []
      for _ in 0..<20 { requests += create + http.head("GET", "/healthz") }
      try http.stream.sendLast(requests)
      for _ in 0..<20 {
        let answer = try http.response()
        #expect(answer.status == 201)
        counts[try Self.createdSession(answer).reactor(of: 2)] += 1
        #expect(try http.response().text == "{\"status\":\"alive\"}\n")
      }
      #expect(counts == [20, 20])
      try http.stream.drainToEnd()
      try metrics.waitForNoSockets()
    }

    @Test(
      "New sessions are created on the reactor with fewer participants, until both reactors have the same load"
    )
    func participants() throws {
      let gateway = try RunningGateway(reactors: 2)
      let metrics = try Metrics(of: gateway)
      let crowded = try gateway.makeSession()
      let members = try (0..<4).map { _ in try ParticipantClient(gateway, crowded).join() }
      try metrics.wait(for: "all participants") { $0["participants"] == 4 }
      let http = try HTTPClient(gateway)
      for _ in 0..<5 {
        #expect(try http.makeSession().reactor(of: 2) == 1 - crowded.reactor(of: 2))
      }
      for member in members { member.cut() }
    }

    @Test(
      "The successor of a session is created on the reactor of the session, whatever the load of this reactor"
    )
    func successor() throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession(on: 1)
      let member = try ParticipantClient(gateway, session).join()
      let token = try #require(member.joined?.token)
      // A reactor may publish its load later than it answers the participant.
      try Metrics(of: gateway).wait(for: "the participant") { $0["participants"] == 1 }
      let http = try HTTPClient(gateway)
      // The gateway creates this session on reactor 0, which has the lower load, and transfers the connection to reactor 0.
      #expect(try http.makeSession().reactor(of: 2) == 0)
      let answer = try http.ask(
        "POST", "/api/sessions", ["Participant-Token": token.text],
        body: Array(#"{"follows": "\#(session.text)"}"#.utf8))
      #expect(try Self.createdSession(answer).reactor(of: 2) == 1)
    }

    /// Returns the id of the session that an answer reports as created.
    private static func createdSession(_ answer: HTTPClient.Response) throws -> SessionID {
      try #require(answer.field("Location")?.split(separator: "/").last.flatMap { SessionID($0) })
    }

    struct Body: CustomTestStringConvertible {
      let isSecure: Bool
      /// True if the body is sent after `100 Continue`; false if it is sent with the head.
      let expectsContinue: Bool

      var testDescription: String {
        "\(isSecure ? "TLS" : "plain"), \(expectsContinue ? "after `100 Continue`" : "with the head")"
      }

      static let all = [false, true].flatMap { isSecure in
        [false, true].map { Body(isSecure: isSecure, expectsContinue: $0) }
      }
    }

    @Test("An upload to a session of another reactor arrives completely and only once", arguments: Body.all)
    func upload(_ body: Body) throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession(on: 1)
      let http = try HTTPClient.on(reactor: 0, of: gateway, isSecure: body.isSecure, bodyLimit: 4 << 20)
      let path = "/api/sessions/\(session.text)/attachments"
      let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
      // The client sends this request directly after the body (pipelining). The gateway answers the upload first, then this
      // request.
      let behind = http.head("GET", "/healthz")
      let length = "\(bytes.count)"
      if body.expectsContinue {
        try http.stream.send(http.head("POST", path, ["Content-Length": length, "Expect": "100-continue"]))
        let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        while http.stream.unread.count < interim.count {
          try http.stream.receiveMore(by: TestTimeout.deadline)
        }
        #expect(http.stream.unread == interim)
        try http.stream.send(bytes + behind)
      } else {
        try http.stream.send(http.head("POST", path, ["Content-Length": length]) + bytes + behind)
      }
      let added = try http.response()
      #expect(added.status == 201)
      #expect(try http.response().status == 200)
      let location = try #require(added.field("Location"))
      #expect(try http.ask("GET", location).body == bytes)
    }

    @Test(
      "If a client half-closes its connection with its last request, the request is still answered",
      arguments: [false, true])
    func lastRequest(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession(on: 1)
      let http = try HTTPClient.on(reactor: 0, of: gateway, isSecure: isSecure)
      try http.stream.sendLast(http.head("GET", "/api/sessions/\(session.text)"))
      #expect(try http.response().status == 200)
      try http.stream.drainToEnd()
    }

    @Test("An HTTP/1.0 request for a session of another reactor is answered with `Connection: close`")
    func oldVersion() throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession(on: 1)
      let http = try HTTPClient.on(reactor: 0, of: gateway)
      let request = "GET /api/sessions/\(session.text) HTTP/1.0\r\nHost: \(http.host)\r\n\r\n"
      try http.stream.send(Array(request.utf8))
      let described = try http.response()
      #expect(described.status == 200)
      #expect(described.field("Connection") == "close")
    }

    @Test("P1, P3: members of one session whose connections are on different reactors have the same state")
    func together() throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession()
      let members = try [(0, false), (1, false), (0, true), (1, true)].map { reactor, isSecure in
        let http = try HTTPClient.on(reactor: reactor, of: gateway, isSecure: isSecure)
        let socket = try WebSocketClient(upgrading: http, to: WebSocketClient.path(of: session))
        return try ParticipantClient(gateway, session, isSecure: isSecure).join(over: socket)
      }
      for (index, member) in members.enumerated() {
        let key = EntryKey(high: 0, low: UInt64(index))
        try member.send(member.entry([UInt8(index)], retention: .append, key: key))
      }
      for member in members {
        try member.read(until: "all entries") { $0.state.held.count == 4 && $0.state.participants.count == 4 }
      }
      for member in members {
        #expect(member.state == members[0].state)
      }
    }
  }
}
