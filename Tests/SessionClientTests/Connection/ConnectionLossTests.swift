import Testing
import Networking
import Platform
import Wire

@testable import SessionClient

extension ConnectionTests {
  /// Lost connections, and gateways that restart.
  @Suite("A client reconnects after a lost connection, and loses and repeats no message")
  struct ConnectionLossTests {
    @Test(
      "With 200 lost connections during sends, each message arrives once and in order",
      arguments: [UInt64(20_261_122)])
    func cuts(seed: UInt64) async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      // Ada and Bob lose connections, Eve does not. Bob uses TLS, and only receives.
      let proxy = try CuttingProxy(to: gateway.http, cutting: (seed, 200...24_000))
      let secure = try CuttingProxy(to: gateway.https, cutting: (seed &+ 2, 4_000...100_000))
      try proxy.start()
      try secure.start()
      defer {
        proxy.stop()
        secure.stop()
      }
      // Reconnects are immediate; otherwise the test would mostly wait.
      let times = ConnectionTimeouts(stableAfter: .zero)
      let ada = try TestMember(
        session, at: LocalGateway.address(of: proxy.address), name: "Ada", times: times)
      let bob = try TestMember(
        session,
        at: LocalGateway.address(of: secure.address, isSecure: true, certificates: gateway.certificates),
        name: "Bob", times: times)
      let eve = try TestMember(session, at: gateway.address(), name: "Eve")
      var generator = SeededGenerator(seed: seed &+ 1)
      var sent: [String] = []
      while proxy.cuts + secure.cuts < 200 || secure.cuts < 3 {
        let text =
          "\(sent.count) " + String(repeating: "x", count: Int.random(in: 0...400, using: &generator))
        try ada.send(text)
        sent.append(text)
        // After every eight messages, Ada waits until Eve has received all of them or a connection is cut. Otherwise the
        // remaining entries would be sent in a few large WebSocket messages, without a lost connection.
        if sent.count % 8 == 0 {
          let count = sent.count
          let cuts = proxy.cuts
          try TestTimeout.block(until: "a cut or the arrival of all messages") {
            proxy.cuts != cuts || eve.events.recorded.messages.count == count
          }
        }
      }
      proxy.stopCutting()
      secure.stopCutting()
      try await ada.membership.settle()
      for member in [bob, eve] {
        try member.events.wait(for: "all messages, seed \(seed)") { $0.messages.count >= sent.count }
        #expect(member.events.recorded.messages.map(\.from).allSatisfy { $0 == ada.number })
        #expect(member.events.recorded.texts(from: ada.number) == sent, "seed \(seed)")
      }
      // After a resume, Ada's messages may be acknowledged before the gateway echoes them to Ada.
      try ada.events.wait(for: "own messages, seed \(seed)") { $0.echoes.count >= sent.count }
      #expect(ada.events.recorded.echoes == sent.map { Array($0.utf8) }, "seed \(seed)")
      for member in [ada, bob, eve] { await member.leave() }
      try TestTimeout.block(until: "all sockets to be closed") {
        try ProcessResources.sockets(to: proxy.address.port) == 0
      }
    }

    @Test(
      "After a restart of the gateway all messages arrive once and in order",
      arguments: LocalGateway.End.allCases)
    func restarts(_ end: LocalGateway.End) async throws {
      var gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let proxy = try CuttingProxy(to: gateway.http)
      try proxy.start()
      defer { proxy.stop() }
      let address = try LocalGateway.address(of: proxy.address)
      let (ada, bob) = try (TestMember(session, at: address), TestMember(session, at: address))
      // After a kill, the gateway knows only the participants that have an entry on the disk.
      try ada.send("I am Ada")
      try bob.send("I am Bob")
      try await ada.membership.settle()
      try await bob.membership.settle()
      try bob.events.wait(for: "Ada") { !$0.messages.isEmpty }
      let number = ada.number
      for round in 0..<2 {
        for index in 0..<50 { try ada.sendKept("\(round) \(index)") }
        // The gateway is restarted in the middle of the sends.
        try bob.events.wait(for: "some messages") { $0.messages.count > 60 * round + 10 }
        gateway = try gateway.restart(end)
        proxy.turn(to: gateway.http)
        for index in 50..<60 { try ada.sendKept("\(round) \(index)") }
        try await ada.membership.settle()
        try bob.events.wait(for: "all messages") { $0.messages.count >= 60 * (round + 1) + 1 }
      }
      let expected = ["I am Ada"] + (0..<2).flatMap { round in (0..<60).map { "\(round) \($0)" } }
      #expect(bob.events.recorded.texts(from: number) == expected)
      #expect(bob.events.recorded.messages.count == expected.count)
      #expect(ada.number == number)
      #expect(ada.events.recorded.aways > 0)
      await ada.leave()
      await bob.leave()
    }

    @Test("Messages sent while disconnected are queued, and arrive in order after the reconnect")
    func away() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let proxy = try CuttingProxy(to: gateway.http)
      try proxy.start()
      defer { proxy.stop() }
      let ada = try TestMember(session, at: LocalGateway.address(of: proxy.address))
      let bob = try TestMember(session, at: gateway.address())
      proxy.turn(to: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 1))
      proxy.cutAll()
      try ada.events.wait(for: "the lost connection") { $0.aways == 1 }
      for index in 0..<200 { try ada.send("\(index)") }
      // An unreliable entry that is sent while the client is disconnected is dropped.
      try ada.membership.send(OutgoingEntry(type: "Cursor", payload: [1], isReliable: false))
      proxy.turn(to: gateway.http)
      try await ada.membership.settle()
      try bob.events.wait(for: "all messages") { $0.messages.count == 200 }
      #expect(bob.events.recorded.texts(from: ada.number) == (0..<200).map { "\($0)" })
      #expect(ada.events.recorded.end == nil)
      await ada.leave()
      await bob.leave()
    }

    @Test("If a gateway stops reading, unreliable entries are dropped, and no caller blocks")
    func stuck() async throws {
      let isOver = Guarded(false)
      let server = try ScriptedServer { _, stream in
        try ScriptedServer.upgrade(stream)
        try stream.send(ScriptedServer.welcome)
        // From here on, the server reads no bytes.
        try TestTimeout.block(until: "the end of the test") { isOver.withLock { $0 } }
      }
      defer {
        isOver.withLock { $0 = true }
        server.stop()
      }
      let ada = try TestMember(
        SessionID(high: 1, low: 2), at: LocalGateway.address(of: server.address))
      // No send may block: the server reads nothing before the end of the test.
      let payload = [UInt8](repeating: 7, count: 200_000)
      for _ in 0..<200 {
        try ada.membership.send(OutgoingEntry(type: "Cursor", payload: payload, isReliable: false))
      }
      // The client's send queue is bounded: reliable entries are admitted up to its limit.
      var taken = 0
      let refusal = #expect(throws: AdmissionError.self) {
        while true {
          try ada.membership.send(OutgoingEntry(type: "Stroke", payload: payload))
          taken += 1
        }
      }
      #expect(refusal == .queueFull(limit: 64 << 20))
      #expect(taken > 300)
      ada.membership.leave()
    }
  }
}
