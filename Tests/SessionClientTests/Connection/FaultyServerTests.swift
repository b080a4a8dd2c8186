import FoundationEssentials
import Testing
import Networking
import Platform
import WebSocket
import Wire

@testable import SessionClient

extension ConnectionTests {
  /// Servers that are unreachable, silent, faulty, or not gateways.
  @Suite("A client reports servers that are unreachable, silent, faulty, or not gateways")
  struct FaultyServerTests {
    private static let session = SessionID(high: 1, low: 2)

    /// Tries to join at a scripted server, and returns the reason why the membership ended.
    private static func end(
      of script: @escaping ScriptedServer.Script, isSecure: Bool = false
    ) async throws -> EndReason? {
      let server = try ScriptedServer(script)
      defer { server.stop() }
      let ada = try TestMember(
        session, at: LocalGateway.address(of: server.address, isSecure: isSecure), waits: false)
      try ada.events.wait(for: "the end") { $0.end != nil }
      await ada.membership.finish()
      return ada.events.recorded.end
    }

    @Test("A server that speaks another protocol is reported as not being a gateway")
    func somethingElse() async throws {
      let end = try await Self.end { _, stream in
        _ = try stream.receive()
        try stream.send(Array("220 mail.example ESMTP\r\n".utf8))
        try stream.drain()
      }
      guard case .noGateway(let words) = end else {
        Issue.record("\(String(describing: end))")
        return
      }
      #expect(words.contains("HTTP"))
    }

    @Test("A server without TLS at an https address is reported as not being a gateway")
    func plain() async throws {
      let end = try await Self.end(
        of: { _, stream in
          _ = try stream.receive()
          try stream.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
          try stream.drain()
        }, isSecure: true)
      guard case .noGateway = end else {
        Issue.record("\(String(describing: end))")
        return
      }
    }

    @Test("A permanent refusal ends the membership with the gateway's text")
    func refused() async throws {
      let end = try await Self.end { _, stream in
        _ = try stream.receive()
        let body = #"{"detail":"Ask for https://elsewhere."}"#
        try stream.send(
          Array("HTTP/1.1 421 Misdirected Request\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
        try stream.drain()
      }
      #expect(end == .refused(code: 421, detail: "Ask for https://elsewhere."))
    }

    @Test("An upgrade request that is refused with 503 is repeated after the time in Retry-After")
    func busy() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let server = try ScriptedServer { _, stream in
        _ = try stream.receive()
        try stream.send(
          Array("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n".utf8))
        try stream.drain()
      }
      defer { server.stop() }
      let proxy = try CuttingProxy(to: server.address)
      try proxy.start()
      defer { proxy.stop() }
      let ada = try TestMember(session, at: LocalGateway.address(of: proxy.address), waits: false)
      try TestTimeout.block(until: "a second request") { server.count > 1 }
      proxy.turn(to: gateway.http)
      try ada.events.wait(for: "the end of the catch-up") { $0.caughtUps == 1 }
      #expect(ada.events.recorded.end == nil)
      await ada.leave()
    }

    /// Bytes that a faulty server sends during a session, before the connection ends.
    enum InvalidBytes: CaseIterable {
      case halfAFrame
      case hugeLength
      case entriesThatAreNone
      case wrongControl
      case masked

      var bytes: [UInt8] {
        switch self {
        case .halfAFrame: [0x82, 0x7E, 0x01]
        case .hugeLength: [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        case .entriesThatAreNone: ScriptedServer.frame(.binary, [0, 0, 0, 1, 0xFF, 9, 9])
        case .wrongControl:
          ScriptedServer.frame(.text, Array(#"{"committed":{"sequence":-1}}"#.utf8))
            + ScriptedServer.frame(.text, Array("[[[[".utf8))
        case .masked: [0x82, 0x81, 1, 2, 3, 4, 5]
        }
      }
    }

    @Test(
      "After invalid bytes from a server, the connection ends, and the membership continues on a new connection",
      arguments: InvalidBytes.allCases
    )
    func invalidBytes(_ invalidBytes: InvalidBytes) async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let server = try ScriptedServer { _, stream in
        try ScriptedServer.upgrade(stream)
        try stream.send(ScriptedServer.welcome + invalidBytes.bytes)
      }
      defer { server.stop() }
      let proxy = try CuttingProxy(to: server.address)
      try proxy.start()
      defer { proxy.stop() }
      let ada = try TestMember(session, at: LocalGateway.address(of: proxy.address))
      try ada.events.wait(for: "the lost connection") { $0.aways > 0 }
      proxy.turn(to: gateway.http)
      try ada.events.wait(for: "the join at the other gateway") { $0.joins.last?.session.id == session }
      try ada.send("still here")
      try await ada.membership.settle()
      #expect(ada.events.recorded.end == nil)
      await ada.leave()
    }

    @Test("An unknown host name is reported and looked up again; leaving does not wait for the lookup")
    func noName() async throws {
      let url = try #require(URL(string: "http://no-such-host.invalid:8080"))
      let ada = try TestMember(Self.session, at: GatewayAddress(url), waits: false)
      try ada.events.wait(for: "the reported problem") { !$0.troubles.isEmpty }
      #expect(ada.events.recorded.troubles[0].contains("no-such-host.invalid"))
      #expect(ada.events.recorded.end == nil)
      ada.membership.leave()
      try ada.events.wait(for: "the end") { $0.end == .left }
    }

    @Test("If a name lookup takes too long, the reported problem names the host")
    func slowName() async throws {
      let url = try #require(URL(string: "http://no-such-host.invalid:8080"))
      let ada = try TestMember(
        Self.session, at: GatewayAddress(url), times: ConnectionTimeouts(connect: .zero), waits: false)
      try ada.events.wait(for: "the reported problem") { !$0.troubles.isEmpty }
      #expect(
        ada.events.recorded.troubles[0]
          == "The address of no-such-host.invalid:8080 was not resolved in time.")
      await ada.leave()
    }

    @Test(
      "A refused TCP connection is reported, and the client tries again until a server accepts the connection"
    )
    func nobody() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let closed = try Listener(on: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0)).address
      let proxy = try CuttingProxy(to: closed)
      try proxy.start()
      defer { proxy.stop() }
      let direct = try TestMember(session, at: LocalGateway.address(of: closed), waits: false)
      try direct.events.wait(for: "the reported problem") { !$0.troubles.isEmpty }
      #expect(direct.events.recorded.troubles[0].contains("Connection refused"))
      direct.membership.leave()
      let ada = try TestMember(session, at: LocalGateway.address(of: proxy.address), waits: false)
      try ada.events.wait(for: "the reported problem") { !$0.troubles.isEmpty }
      proxy.turn(to: gateway.http)
      try ada.events.wait(for: "the end of the catch-up") { $0.caughtUps == 1 }
      await ada.leave()
    }

    @Test("If a host name has several addresses, the client connects to the address that responds")
    func severalAddresses() async throws {
      // On most machines, `localhost` also resolves to ::1, on which this gateway does not listen.
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let url = try #require(URL(string: "http://localhost:\(gateway.http.port)"))
      let ada = try TestMember(session, at: GatewayAddress(url))
      await ada.leave()
      try TestTimeout.block(until: "all lookup threads to end") {
        try ProcessResources.threads(named: "client-lookup") == 0
      }
    }

    /// The step at which a server becomes silent.
    enum Silence: CaseIterable {
      case beforeTLS
      case beforeTheUpgrade
    }

    @Test(
      "A connection to a server that sends no bytes is closed after the handshake timeout, and the client tries again",
      arguments: Silence.allCases)
    func silent(_ silence: Silence) async throws {
      let server = try ScriptedServer { _, stream in try stream.drain() }
      defer { server.stop() }
      let address = try LocalGateway.address(of: server.address, isSecure: silence == .beforeTLS)
      let times = ConnectionTimeouts(handshake: .milliseconds(50))
      let ada = try TestMember(Self.session, at: address, times: times, waits: false)
      try TestTimeout.block(until: "a second connection") { server.count > 1 }
      try ada.events.wait(for: "the reported problem") { !$0.troubles.isEmpty }
      #expect(ada.events.recorded.troubles[0].contains("in time"))
      await ada.leave()
      try TestTimeout.block(until: "all sockets to be closed") {
        try ProcessResources.sockets(to: server.address.port) == 0
      }
    }

    @Test(
      "While reading is paused, the client sends keepalive pongs; it answers pings when reading continues")
    func signsOfLife() async throws {
      let pongs = Guarded<[[UInt8]]>([])
      let isPinged = Guarded(false)
      let server = try ScriptedServer { number, stream in
        guard number == 0 else { return }
        try ScriptedServer.upgrade(stream)
        try stream.send(ScriptedServer.welcome)
        var reader = MessageReader(role: .server, limits: MessageLimits(messageBytes: 1 << 20))
        var hasPinged = false
        while true {
          var bytes = try stream.receive()
          var position = 0
          while let event = try reader.next(in: &bytes, at: &position, upTo: bytes.count) {
            guard case .pong(let payload) = event else { continue }
            pongs.withLock { $0.append(payload) }
            if payload == [42] { return }
            if !hasPinged { try stream.send(ScriptedServer.frame(.ping, [42])) }
            hasPinged = true
            isPinged.withLock { $0 = true }
          }
        }
      }
      defer { server.stop() }
      let ada = try TestMember(
        Self.session, at: LocalGateway.address(of: server.address),
        times: ConnectionTimeouts(keepalive: .milliseconds(20)))
      ada.membership.setReading(false)
      try TestTimeout.block(until: "some keepalives") { pongs.withLock { $0.count } > 3 }
      #expect(isPinged.withLock { $0 })
      // The client has not read the ping yet: all its pongs so far are empty keepalives.
      #expect(pongs.withLock { $0.allSatisfy(\.isEmpty) })
      ada.membership.setReading(true)
      try TestTimeout.block(until: "the answer to the ping") { pongs.withLock { $0.contains([42]) } }
      ada.membership.leave()
    }
  }
}
