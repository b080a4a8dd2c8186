import Testing
import Networking
import Platform
import Wire

@testable import SessionClient

extension ConnectionTests {
  /// Connections that break, and gateways that go and come back.
  @Suite("Cuts")
  struct ConnectionLossTests {
    @Test("200 cuts in the middle of sends: everything once and in order", arguments: [UInt64(20_261_122)])
    func cuts(seed: UInt64) async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      // Two of three are cut, one of them while it only listens, and that one over TLS.
      let proxy = try CuttingProxy(to: gateway.http, cutting: (seed, 200...24_000))
      let secure = try CuttingProxy(to: gateway.https, cutting: (seed &+ 2, 4_000...100_000))
      try proxy.start()
      try secure.start()
      defer {
        proxy.stop()
        secure.stop()
      }
      // Each comes back at once, or most of the time would be spent waiting.
      let times = ConnectionTimeouts(lasting: .zero)
      let ada = try TestMember(
        session, at: LocalGateway.address(of: proxy.address), name: "Ada", times: times)
      let bob = try TestMember(
        session,
        at: LocalGateway.address(of: secure.address, isSecure: true, certificates: gateway.certificates),
        name: "Bob", times: times)
      let eve = try TestMember(session, at: gateway.address(), name: "Eve")
      var generator = SeededNumbers(seed: seed &+ 1)
      var sent: [String] = []
      while proxy.cuts + secure.cuts < 200 || secure.cuts < 3 {
        let text =
          "\(sent.count) " + String(repeating: "x", count: Int.random(in: 0...400, using: &generator))
        try ada.send(text)
        sent.append(text)
        // As fast as they arrive somewhere, or the rest would come in a few large messages without a cut.
        if sent.count % 8 == 0 {
          let count = sent.count
          let cuts = proxy.cuts
          try TestTimeout.block(until: "a cut or what was sent") {
            proxy.cuts != cuts || eve.events.now.messages.count == count
          }
        }
      }
      proxy.stopCutting()
      secure.stopCutting()
      try await ada.membership.settle()
      for member in [bob, eve] {
        try member.events.wait(for: "all of it, seed \(seed)") { $0.messages.count >= sent.count }
        #expect(member.events.now.messages.map(\.from).allSatisfy { $0 == ada.number })
        #expect(member.events.now.texts(from: ada.number) == sent, "seed \(seed)")
      }
      #expect(ada.events.now.echoes.count == sent.count)
      for member in [ada, bob, eve] { await member.leave() }
      try TestTimeout.block(until: "no socket to be left") {
        try ProcessResources.sockets(to: proxy.address.port) == 0
      }
    }

    @Test("A gateway that comes back has everything once and in order", arguments: LocalGateway.End.allCases)
    func restarts(_ end: LocalGateway.End) async throws {
      var gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let proxy = try CuttingProxy(to: gateway.http)
      try proxy.start()
      defer { proxy.stop() }
      let address = try LocalGateway.address(of: proxy.address)
      let (ada, bob) = try (TestMember(session, at: address), TestMember(session, at: address))
      // Whoever said something that is on the disk is known to a gateway that was killed.
      try ada.send("I am Ada")
      try bob.send("I am Bob")
      try await ada.membership.settle()
      try await bob.membership.settle()
      try bob.events.wait(for: "Ada") { !$0.messages.isEmpty }
      let number = ada.number
      for round in 0..<2 {
        for index in 0..<50 { try ada.sendKept("\(round) \(index)") }
        // In the middle of it.
        try bob.events.wait(for: "some of it") { $0.messages.count > 60 * round + 10 }
        gateway = try gateway.restart(end)
        proxy.turn(to: gateway.http)
        for index in 50..<60 { try ada.sendKept("\(round) \(index)") }
        try await ada.membership.settle()
        try bob.events.wait(for: "all of it") { $0.messages.count >= 60 * (round + 1) + 1 }
      }
      let expected = ["I am Ada"] + (0..<2).flatMap { round in (0..<60).map { "\(round) \($0)" } }
      #expect(bob.events.now.texts(from: number) == expected)
      #expect(bob.events.now.messages.count == expected.count)
      #expect(ada.number == number)
      #expect(ada.events.now.aways > 0)
      await ada.leave()
      await bob.leave()
    }

    @Test("What is sent while away waits, and comes in order after the cut")
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
      try ada.events.wait(for: "being away") { $0.aways == 1 }
      for index in 0..<200 { try ada.send("\(index)") }
      // Now or never: never.
      try ada.membership.send(OutgoingEntry(type: "Cursor", payload: [1], isReliable: false))
      proxy.turn(to: gateway.http)
      try await ada.membership.settle()
      try bob.events.wait(for: "all of it") { $0.messages.count == 200 }
      #expect(bob.events.now.texts(from: ada.number) == (0..<200).map { "\($0)" })
      #expect(ada.events.now.end == nil)
      await ada.leave()
      await bob.leave()
    }

    @Test("A gateway that stops to read costs the unreliable, and blocks nobody")
    func stuck() async throws {
      let isOver = Guarded(false)
      let server = try ScriptedServer { _, stream in
        try ScriptedServer.upgrade(stream)
        try stream.send(ScriptedServer.welcome)
        // Nothing is read any more.
        try TestTimeout.block(until: "the end of the test") { isOver.withLock { $0 } }
      }
      defer {
        isOver.withLock { $0 = true }
        server.stop()
      }
      let ada = try TestMember(
        SessionID(high: 1, low: 2), at: LocalGateway.address(of: server.address))
      // None of these waits, or the test would not end: nothing is read before that.
      let payload = [UInt8](repeating: 7, count: 200_000)
      for _ in 0..<200 {
        try ada.membership.send(OutgoingEntry(type: "Cursor", payload: payload, isReliable: false))
      }
      // The queue is bounded, too: what is reliable is taken up to its limit, and then refused.
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
