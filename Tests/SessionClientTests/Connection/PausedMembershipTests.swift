import Testing
import Platform
import Wire

@testable import SessionClient

extension ConnectionTests {
  /// Memberships while the application has paused reading.
  @Suite("While an application has paused reading, its membership of a session stays usable")
  struct PausedMembershipTests {
    @Test(
      "While reading is paused, `settle` returns, lost connections are replaced, and leaving sends all messages"
    )
    func answersStillCome() async throws {
      let gateway = try LocalGateway()
      let session = try await gateway.makeSession()
      let proxy = try CuttingProxy(to: gateway.http)
      try proxy.start()
      defer { proxy.stop() }
      let ada = try TestMember(session, at: LocalGateway.address(of: proxy.address))
      let bob = try TestMember(session, at: gateway.address())
      ada.membership.setReading(false)
      try ada.send("1")
      try await ada.membership.settle()
      let connections = proxy.connections
      proxy.cutAll()
      try TestTimeout.block(until: "a cut connection") { proxy.cuts > 0 }
      try ada.send("2")
      try await ada.membership.settle()
      #expect(proxy.connections > connections)
      try ada.send("3")
      try ada.membership.change(ActivityChange(title: "New"))
      try ada.send("4")
      await ada.leave()
      try bob.events.wait(for: "all messages") { $0.messages.count == 4 }
      #expect(bob.events.recorded.texts(from: ada.number) == ["1", "2", "3", "4"])
      #expect(bob.events.recorded.activities.last?.title == "New")
      try bob.events.wait(for: "Ada to be gone") { $0.active.count == 1 }
      await bob.leave()
    }
  }
}
