import FoundationEssentials
import Gateway
import Testing
import Networking
import Wire

@testable import SessionClient

extension ConnectionTests {
  /// Calls that wait for a membership, and paused reading.
  @Suite("Calls that wait for a membership can be cancelled, and return when the membership ends")
  struct MembershipWaitTests {
    @Test("Cancelling tasks that wait for the end of a membership does not end the membership")
    func cancelledFinish() async throws {
      let gateway = try LocalGateway()
      let ada = try TestMember(try await gateway.makeSession(), at: gateway.address())
      let waiting = (0..<3).map { _ in Task { await ada.membership.finish() } }
      for task in waiting { task.cancel() }
      for task in waiting { await task.value }
      #expect(ada.events.recorded.end == nil)
      try ada.send("still here")
      let later = Task { await ada.membership.finish() }
      await ada.leave()
      await later.value
    }

    @Test(
      "If the event loop of a membership cannot start, the membership ends with the reason and rejects all calls"
    )
    func noLoop() async throws {
      let queue = MembershipQueue()
      let reason = EndReason.noConnections("no descriptor")
      queue.ended(reason)
      let early = Task { await queue.finish() }
      await #expect(throws: reason) { try await queue.settle() }
      queue.finished()
      await early.value
      #expect(try !queue.start(.join(nil), on: ClientLoop.shared()))
      #expect(throws: AdmissionError.notJoined) {
        try queue.enqueue(OutgoingEntry(type: "Test", payload: []))
      }
      #expect(throws: AdmissionError.notJoined) { try queue.enqueue(ActivityChange(title: "Test")) }
      queue.leave()
      #expect(queue.takeCommands().isEmpty)
      await #expect(throws: reason) { try await queue.settle() }
      await queue.finish()
    }

    @Test("While the gateway cannot be reached, `settle` waits and can be cancelled")
    func cancelled() async throws {
      let gateway = try LocalGateway()
      let proxy = try CuttingProxy(to: gateway.http)
      try proxy.start()
      defer { proxy.stop() }
      let session = try await gateway.makeSession()
      let ada = try TestMember(session, at: LocalGateway.address(of: proxy.address))
      // No server listens at port 1.
      proxy.turn(to: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 1))
      proxy.cutAll()
      try ada.events.wait(for: "the lost connection") { $0.aways > 0 }
      try ada.send("for later")
      let waiting = Task { try await ada.membership.settle() }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      proxy.turn(to: gateway.http)
      try await ada.membership.settle()
      await ada.leave()
    }

    @Test("While reading is paused, a membership reports no messages; it reports them when reading continues")
    func paused() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      // Bob connects through a proxy. Only Bob receives bytes from the proxy's port, so the test can count the bytes that Bob has
      // not read.
      let proxy = try CuttingProxy(to: gateway.http)
      try proxy.start()
      defer { proxy.stop() }
      let (ada, bob) = try (
        TestMember(session, at: gateway.address()),
        TestMember(session, at: LocalGateway.address(of: proxy.address))
      )
      bob.membership.setReading(false)
      // When `settle` returns, the event loop has handled the call `setReading(false)`.
      try await bob.membership.settle()
      // Random bytes are not compressed much.
      let payload = Array(TestContent.bytes(10_000, seed: 1))
      try ada.membership.send(OutgoingEntry(type: "Large", payload: payload))
      try TestTimeout.block(until: "unread bytes for Bob") {
        try ProcessResources.unread(from: proxy.address.port) > 4_000
      } otherwise: {
        let unread = try? ProcessResources.unread(from: proxy.address.port)
        return "\(String(describing: unread)) bytes wait, \(bob.events.recorded.messages.count) messages came"
      }
      // Bob has paused reading. Without this pause, the event loop would have read Ada's message during these two calls of
      // `settle`.
      for _ in 0..<2 { try await bob.membership.settle() }
      #expect(bob.events.recorded.messages.isEmpty)
      bob.membership.setReading(true)
      try bob.events.wait(for: "the message sent during the pause") { $0.messages.count == 1 }
      #expect(bob.events.recorded.messages[0].payload == payload)
      await ada.leave()
      await bob.leave()
    }
  }
}
