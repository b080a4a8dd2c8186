import Testing
import Platform
import Wire

@testable import SessionClient

extension ConnectionTests {
  /// Those whose program is told more than it can take.
  @Suite("Memberships that are not read")
  struct PausedMembershipTests {
    @Test("Who does not want to read still settles, comes back after a cut, and leaves with all said")
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
      try TestTimeout.block(until: "the cut") { proxy.cuts > 0 }
      try ada.send("2")
      try await ada.membership.settle()
      #expect(proxy.connections > connections)
      try ada.send("3")
      try ada.membership.change(ActivityChange(title: "New"))
      try ada.send("4")
      await ada.leave()
      try bob.events.wait(for: "all of it") { $0.messages.count == 4 }
      #expect(bob.events.now.texts(from: ada.number) == ["1", "2", "3", "4"])
      #expect(bob.events.now.activities.last?.title == "New")
      try bob.events.wait(for: "the leaver to be gone") { $0.active.count == 1 }
      await bob.leave()
    }
  }
}
