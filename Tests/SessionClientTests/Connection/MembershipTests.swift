import Networking
import FoundationEssentials
import Gateway
import Testing
import Platform
import Wire

@testable import SessionClient

extension ConnectionTests {
  /// Memberships at a real gateway.
  @Suite("The membership of a client in a session")
  struct MembershipTests {
    @Test("Two members receive each other's messages and their own", arguments: [false, true])
    func both(isSecure: Bool) async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let address = try gateway.address(isSecure: isSecure)
      let ada = try TestMember(session, at: address, name: "Ada")
      let bob = try TestMember(session, at: address, name: "Bob")
      try ada.events.wait(for: "Bob") { $0.active.count == 2 }
      #expect(Set(ada.events.recorded.active.map(\.name)) == ["Ada", "Bob"])
      try ada.send("hello")
      try bob.send("hello back")
      // The message is larger than a TLS record and a socket's buffer.
      let large = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      try ada.membership.send(OutgoingEntry(type: "Large", payload: large))
      try bob.events.wait(for: "Ada's messages") { $0.messages.count == 2 }
      try ada.events.wait(for: "Bob's message and Ada's echoes") {
        $0.messages.count == 1 && $0.echoes.count == 2
      }
      #expect(
        bob.events.recorded.messages == [
          .init(from: ada.number, type: "Test", payload: Array("hello".utf8)),
          .init(from: ada.number, type: "Large", payload: large),
        ])
      #expect(ada.events.recorded.texts(from: bob.number) == ["hello back"])
      try await ada.membership.settle()
      try await bob.membership.settle()
      await ada.leave()
      try bob.events.wait(for: "Ada to be gone") { $0.active.count == 1 }
      await bob.leave()
    }

    @Test("Messages that a client sends before its join is complete arrive in order")
    func early() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let bob = try TestMember(session, at: gateway.address())
      let ada = try TestMember(session, at: gateway.address(), waits: false)
      for index in 0..<100 { try ada.send("\(index)") }
      try bob.events.wait(for: "all messages") { $0.messages.count == 100 }
      #expect(bob.events.recorded.texts(from: ada.number) == (0..<100).map { "\($0)" })
      await ada.leave()
      await bob.leave()
    }

    @Test("All messages that several threads send arrive, and the messages of each thread arrive in order")
    func threads() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let (ada, bob) = try (
        TestMember(session, at: gateway.address()), TestMember(session, at: gateway.address())
      )
      // The client allows as large a burst of messages as the gateway does. The 1,200 messages are within this burst, so none is
      // refused.
      let threads = try (0..<4).map { thread in
        try SystemThread(name: "test-sender") {
          for index in 0..<300 {
            do { try ada.send("\(thread) \(index)") } catch { Issue.record(error) }
          }
        }
      }
      for thread in threads { thread.join() }
      try bob.events.wait(for: "all messages") { $0.messages.count == 1200 }
      let texts = bob.events.recorded.texts(from: ada.number)
      for thread in 0..<4 {
        #expect(texts.filter { $0.hasPrefix("\(thread) ") } == (0..<300).map { "\(thread) \($0)" })
      }
      await ada.leave()
      await bob.leave()
    }

    @Test(
      "An untrusted certificate ends the membership, and the reason mentions the certificate",
      arguments: [true, false])
    func notTrusted(hasOtherFile: Bool) async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let other = try LocalGateway()
      let address = try LocalGateway.address(
        of: gateway.https, isSecure: true, certificates: hasOtherFile ? other.certificates : nil)
      let ada = try TestMember(session, at: address, waits: false)
      try ada.events.wait(for: "the end") { $0.end != nil }
      guard case .notTrusted(let words) = ada.events.recorded.end else {
        Issue.record("\(String(describing: ada.events.recorded.end))")
        return
      }
      #expect(words.contains("certificate"))
      await ada.membership.finish()
    }

    @Test("A file without certificates ends the membership, and the reason names the file")
    func noCertificates() async throws {
      let gateway = try LocalGateway()
      let path = gateway.folder + "/public/index.html"
      let ada = try TestMember(
        await gateway.makeSession(),
        at: LocalGateway.address(of: gateway.https, isSecure: true, certificates: path), waits: false)
      try ada.events.wait(for: "the end") { $0.end != nil }
      guard case .notTrusted(let words) = ada.events.recorded.end else {
        Issue.record("\(String(describing: ada.events.recorded.end))")
        return
      }
      #expect(words.contains(path))
      await ada.membership.finish()
    }

    @Test("A valid certificate for another host ends the membership")
    func otherName() async throws {
      // The gateway listens on all addresses, so 127.0.0.2 leads to the gateway too, but its certificate does not name 127.0.0.2.
      let gateway = try LocalGateway { $0.https = ListenAddress(host: "0.0.0.0", port: 0) }
      let address = try GatewayAddress(
        #require(URL(string: "https://127.0.0.2:\(gateway.https.port)")), certificates: gateway.certificates)
      let ada = try TestMember(await gateway.makeSession(), at: address, waits: false)
      try ada.events.wait(for: "the end") { $0.end != nil }
      guard case .notTrusted = ada.events.recorded.end else {
        Issue.record("\(String(describing: ada.events.recorded.end))")
        return
      }
      await ada.membership.finish()
    }

    @Test("An unknown session ends the membership")
    func unknown() async throws {
      let gateway = try LocalGateway()
      let ada = try TestMember(SessionID(high: 1, low: 2), at: gateway.address(), waits: false)
      try ada.events.wait(for: "the end") { $0.end != nil }
      #expect(ada.events.recorded.end == .notFound)
      await ada.membership.finish()
      #expect(throws: AdmissionError.notJoined) { try ada.send("too late") }
    }

    @Test(
      "If a participant ends the session, its pending messages arrive, and then the session ends for all participants"
    )
    func ending() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let (ada, bob) = try (
        TestMember(session, at: gateway.address()), TestMember(session, at: gateway.address())
      )
      try ada.send("last words")
      ada.membership.end()
      for member in [ada, bob] {
        try member.events.wait(for: "the end") { $0.end != nil }
        #expect(member.events.recorded.end == .ended)
        await member.membership.finish()
        #expect(member.events.recorded.afterEnd == 0)
      }
      #expect(bob.events.recorded.texts(from: ada.number) == ["last words"])
      await #expect(throws: EndReason.ended) { try await ada.membership.settle() }
    }

    @Test("Leaving sends pending messages and releases all resources; after that, no events are reported")
    func leaving() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let bob = try TestMember(session, at: gateway.address())
      let ada = try TestMember(session, at: gateway.address())
      for index in 0..<500 { try ada.send("\(index)") }
      ada.membership.leave()
      #expect(throws: AdmissionError.notJoined) { try ada.send("too late") }
      await ada.membership.finish()
      #expect(ada.events.recorded.end == .left)
      #expect(ada.events.recorded.afterEnd == 0)
      try bob.events.wait(for: "all messages") { $0.messages.count == 500 && $0.active.count == 1 }
      #expect(ada.membership.token != nil)
      await bob.leave()
      try TestTimeout.block(until: "all sockets to be closed") {
        try ProcessResources.sockets(to: gateway.http.port) == 0
      }
      #expect(try ProcessResources.threads(named: "client") == 1)
      try TestTimeout.block(until: "all lookup threads to end") {
        try ProcessResources.threads(named: "client-lookup") == 0
      }
    }

    @Test("When a membership has ended, the membership and its observer are deallocated")
    func released() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      weak var observer: EventRecorder?
      weak var membership: Membership?
      do {
        let ada = try TestMember(session, at: gateway.address())
        (observer, membership) = (ada.events, ada.membership)
        try await ada.membership.settle()
        await ada.leave()
      }
      try TestTimeout.block(until: "both to be released") { observer == nil && membership == nil }
    }

    @Test(
      "A client that waits to join is listed, and joins over the same connection with the same participant ID"
    )
    func waitsToJoin() async throws {
      let gateway = try LocalGateway()
      let proxy = try CuttingProxy(to: gateway.http)
      try proxy.start()
      defer { proxy.stop() }
      let session = try await gateway.makeSession()
      let ada = try TestMember(session, at: gateway.address())
      let events = EventRecorder()
      let bob = Membership(
        in: session, at: try LocalGateway.address(of: proxy.address), profile: Profile(name: "Bob"),
        observer: events.observer)
      bob.waitToJoin()
      try ada.events.wait(for: "Bob, who waits") { $0.waiting.map(\.name) == ["Bob"] }
      let id = ada.events.recorded.waiting.first?.id
      #expect(throws: AdmissionError.notJoined) { try bob.send(OutgoingEntry(type: "Test", payload: [])) }
      bob.join(as: Profile(name: "Robert"))
      try bob.send(OutgoingEntry(type: "Test", payload: Array("hello".utf8)))
      try ada.events.wait(for: "Bob's message") { $0.messages.count == 1 }
      let record = ada.events.recorded
      #expect(record.waiting.isEmpty && record.active.contains { $0.id == id && $0.name == "Robert" })
      #expect(events.recorded.joins.first?.participant.id == id)
      #expect(proxy.connections == 1)
      bob.leave()
      await bob.finish()
      await ada.leave()
    }

    @Test("A client that leaves while it waits to join is no longer listed, and cannot join afterwards")
    func leavesWhileWaiting() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let ada = try TestMember(session, at: gateway.address())
      let events = EventRecorder()
      let bob = Membership(in: session, at: try gateway.address(), observer: events.observer)
      bob.waitToJoin()
      try ada.events.wait(for: "Bob, who waits") { $0.waiting.count == 1 }
      bob.leave()
      bob.join()
      #expect(throws: AdmissionError.notJoined) { try bob.send(OutgoingEntry(type: "Test", payload: [])) }
      await bob.finish()
      try ada.events.wait(for: "Bob to be gone") { $0.waiting.isEmpty }
      #expect(events.recorded.end == .left && ada.events.recorded.active.count == 1)
      await ada.leave()
    }

    @Test(
      "A membership that has not joined can leave, and `finish` returns for a membership that never joins")
    func neverJoined() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let events = EventRecorder()
      let early = Membership(in: session, at: try gateway.address(), observer: events.observer)
      #expect(throws: AdmissionError.notJoined) {
        try early.send(OutgoingEntry(type: "Test", payload: []))
      }
      try await early.settle()
      early.leave()
      await early.finish()
      #expect(events.recorded.end == .left)
      early.join()
      await Membership(in: session, at: try gateway.address()) { _ in }.finish()
    }

    @Test(
      "An activity change above the size limit is rejected immediately, and does not count toward the rate limit"
    )
    func largeActivity() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let ada = try TestMember(session, at: gateway.address())
      for length in [20_000, 80_000] {
        #expect(throws: AdmissionError.tooLarge(limit: 16_384, actual: length + 2)) {
          try ada.membership.change(ActivityChange(payload: .string(String(repeating: "p", count: length))))
        }
      }
      try ada.membership.change(ActivityChange(title: "Small"))
      try await ada.membership.settle()
      try ada.events.wait(for: "the title") { $0.activities.last?.title == "Small" }
      #expect(ada.events.recorded.end == nil && ada.events.recorded.aways == 0)
      await ada.leave()
    }
  }
}
