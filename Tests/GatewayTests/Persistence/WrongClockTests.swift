import FoundationEssentials
import SessionCore
import Storage
import Testing
import Platform
import Primitives
import Wire

@testable import Gateway

extension OverSockets {
  @Suite("A wrong clock does not remove sessions")
  struct WrongClockTests {
    /// Returns a clock that is a number of days ahead of the machine's clock.
    private static func clock(daysAhead days: Int, isSynchronised: Bool = false) -> GatewayClock {
      GatewayClock(
        wall: { WallTime.now() + .seconds(days * 86_400) }, isSynchronised: { isSynchronised })
    }

    /// Creates two sessions with one entry each, and ends the second session.
    private static func makeSessions(_ gateway: RunningGateway) throws -> [SessionID] {
      let sessions = try [gateway.makeSession(), gateway.makeSession()]
      for (session, ends) in zip(sessions, [false, true]) {
        let member = try ParticipantClient(gateway, session).join()
        try member.send(member.entry([1], retention: .append))
        try member.readUntilCommitted()
        if ends {
          #expect(try gateway.end(session, try #require(member.joined?.token)) == 204)
        } else {
          member.cut()
        }
      }
      return sessions.sorted { $0.text < $1.text }
    }

    @Test(
      "If the clock is 400 days ahead at the start, no session is removed from the disk or from memory",
      arguments: [RunningGateway.End.drained, .cut], [false, true])
    func ahead(_ end: RunningGateway.End, _ isSynchronised: Bool) async throws {
      var gateway = try RunningGateway(RunningGateway.forgetful)
      let sessions = try Self.makeSessions(gateway)
      let clock = Self.clock(daysAhead: 400, isSynchronised: isSynchronised)
      gateway = try gateway.restart(end, clock: clock) {
        $0.limits.removalDelaySeconds = 3600
        $0.limits.sessionIdleSeconds = 60
      }
      let disk = FolderDisk(gateway.gateway.shared.data)
      // The requests in this loop load both sessions into memory, although the sessions have expired according to the wall clock.
      for _ in 0..<3 {
        for session in sessions { #expect([200, 410].contains(try gateway.status(of: session))) }
        let findings = try await #require(gateway.gateway.shared.sweeper).look()
        #expect(findings.due.isEmpty)
      }
      #expect(try disk.sessions().sorted { $0.text < $1.text } == sessions)
      // Without a removal delay, the gateway trusts its clock immediately and removes the sessions. This shows that the sessions
      // had expired.
      gateway = try gateway.restart(end, clock: Self.clock(daysAhead: 800)) {
        $0.limits.removalDelaySeconds = 0
      }
      try await gateway.wait(for: "an empty folder") {
        try FolderDisk(gateway.gateway.shared.data).sessions().isEmpty
      }
    }

    @Test(
      "If a session became empty while the clock was 400 days behind, it does not expire early after the clock is corrected"
    )
    func behind() async throws {
      let days = Guarded(-400)
      let clock = GatewayClock(
        wall: { WallTime.now() + .seconds(days.withLock { $0 } * 86_400) }, isSynchronised: { true })
      var gateway = try RunningGateway(clock: clock) { $0.limits.graceSeconds = 0 }
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      try member.send(member.entry([1], retention: .append))
      try member.readUntilCommitted()
      member.cut()
      try await gateway.wait(for: "a session without participants", of: session) {
        $0?.session.emptySince != nil
      }
      days.withLock { $0 = 0 }
      gateway = try gateway.restart(.drained) { $0.limits.removalDelaySeconds = 0 }
      let findings = try await #require(gateway.gateway.shared.sweeper).look()
      #expect(findings.due.isEmpty)
      #expect(try FolderDisk(gateway.gateway.shared.data).sessions() == [session])
    }

    @Test("If a session was loaded with a wrong clock, its expiry is computed again with the corrected clock")
    func correctedLater() async throws {
      var gateway = try RunningGateway(RunningGateway.forgetful)
      let sessions = try Self.makeSessions(gateway)
      let days = Guarded(400)
      let clock = GatewayClock(
        wall: { WallTime.now() + .seconds(days.withLock { $0 } * 86_400) },
        isSynchronised: { days.withLock { $0 } == 0 })
      gateway = try gateway.restart(.drained, clock: clock) {
        $0.limits.removalDelaySeconds = 1
        $0.limits.sessionIdleSeconds = 3600
      }
      for session in sessions { #expect([200, 410].contains(try gateway.status(of: session))) }
      days.withLock { $0 = 0 }
      let shared = gateway.gateway.shared
      try await gateway.wait(for: "a trusted clock") { shared.removal.isOpen(now: .now()) }
      for _ in 0..<3 {
        for session in sessions { #expect([200, 410].contains(try gateway.status(of: session))) }
      }
      #expect(try FolderDisk(shared.data).sessions().sorted { $0.text < $1.text } == sessions)
    }
  }
}
