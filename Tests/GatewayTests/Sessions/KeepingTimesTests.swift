import FoundationEssentials
import Glibc
import SessionCore
import Storage
import Testing
import Platform
import Primitives
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// The times for which empty and ended sessions are kept, in memory and on the disk.
  @Suite("Empty and ended sessions are kept for the configured times")
  struct KeepingTimesTests {
    /// The state in which a session is kept.
    enum Way: CaseIterable {
      /// The session has entries, and was unloaded.
      case putAway
      /// The session has entries; the process was killed, and no participant returned.
      case notClosed
      /// The session ended.
      case ended
      /// The session has a participant again.
      case inUse

      /// The status of a response after the session has expired.
      var status: Int {
        switch self {
        case .putAway, .notClosed: 404
        case .ended: 404
        case .inUse: 200
        }
      }
    }

    @Test("A session without participants is removed from the disk when it expires, and not earlier")
    func goes() async throws {
      var gateway = try RunningGateway(reactors: 2, RunningGateway.forgetful)
      var sessions: [Way: SessionID] = [:]
      var inUse: ParticipantClient?
      for way in Way.allCases {
        let session = try gateway.makeSession()
        sessions[way] = session
        let member = try ParticipantClient(gateway, session).join()
        try member.send(member.entry([1], retention: .append))
        try member.readUntilCommitted()
        #expect(try JournalClient(gateway, session).add(UUID(), [1, 2]).status == 201)
        switch way {
        case .putAway:
          member.cut()
          try await gateway.wait(for: "the session is unloaded", of: session) { $0 == nil }
        case .notClosed: break
        case .ended: #expect(try gateway.end(session, try #require(member.joined?.token)) == 204)
        case .inUse: inUse = member
        }
      }
      // Before their expiry, the sessions are not removed.
      gateway = try gateway.restart(.cut)
      for (way, session) in sessions {
        #expect(try gateway.status(of: session) == (way == .ended ? 410 : 200))
      }
      let member = try #require(inUse)
      // The gateway removes no session before the participant has joined again, because its clock is not synchronised until
      // then.
      let hasJoined = Guarded(false)
      let clock = GatewayClock(wall: { WallTime.now() }, isSynchronised: { hasJoined.withLock { $0 } })
      gateway = try gateway.restart(.cut, clock: clock) {
        // The gateway trusts a clock that is not synchronised after 24 times this delay.
        $0.limits.removalDelaySeconds = TestTimeout.briefSeconds
        $0.limits.sessionKeepSeconds = 1
        $0.limits.endedKeepSeconds = 1
        // The session in use stays in memory, and the other sessions are only on the disk.
        $0.limits.sessionIdleSeconds = 60
      }
      member.gateway = gateway
      try member.join()
      hasJoined.withLock { $0 = true }
      let disk = FolderDisk(gateway.gateway.shared.data)
      let kept = sessions[.inUse].map { [$0] }
      try await gateway.wait(for: "the removal of all sessions except the one in use") {
        try disk.sessions() == kept
      }
      for (way, session) in sessions {
        let status = try gateway.status(of: session)
        #expect(status == way.status || (status == 410 && way != .inUse))
      }
      try member.send(member.entry([2], retention: .append))
      try member.readUntilCommitted()
      #expect(member.state.held[.zero] == [[1], [2]])
    }

    @Test(
      "When a session in memory expires, its folder is removed, and requests for the session are answered with 410"
    )
    func expires() async throws {
      let gateway = try RunningGateway {
        $0.limits.graceSeconds = 0
        // The participant must join the new session within this time.
        $0.limits.sessionKeepSeconds = TestTimeout.briefSeconds
        $0.limits.sessions = 1
      }
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      try member.send(member.entry([1], retention: .append))
      #expect(try JournalClient(gateway, session).add(UUID(), [1, 2]).status == 201)
      member.cut()
      let disk = FolderDisk(gateway.gateway.shared.data)
      try await gateway.wait(for: "an empty folder") { try disk.sessions().isEmpty }
      #expect(try gateway.status(of: session) == 410)
      #expect(try gateway.openLogs() == 0)
      #expect(try gateway.statusOfNewSession() == 201)
    }

    @Test(
      "An empty session that has a file of damaged log bytes is kept as long as a session with content",
      arguments: [true, false])
    func damaged(isPutAway: Bool) async throws {
      var gateway = try RunningGateway {
        RunningGateway.forgetful(&$0)
        if !isPutAway { $0.limits.sessionIdleSeconds = 3600 }
      }
      let (empty, damaged) = (try gateway.makeSession(), try gateway.makeSession())
      let hour = GatewayClock(wall: { WallTime.now() + .seconds(3600) }, isSynchronised: { true })
      if isPutAway {
        for session in [empty, damaged] {
          try ParticipantClient(gateway, session).join().cut()
          try await gateway.wait(for: "the session is unloaded", of: session) { $0 == nil }
        }
      }
      gateway.stop()
      let rest = "\(gateway.folder)/data/sessions/\(damaged.text)/log.damaged-1"
      try Data([1, 2, 3]).write(to: URL(filePath: rest))
      // The wall clock of the restarted gateway is an hour ahead. So for the gateway, both sessions have been empty for an hour.
      gateway = try gateway.restart(.cut, clock: hour) {
        $0.limits.removalDelaySeconds = 0
        $0.limits.sessionIdleSeconds = 3600
      }
      let disk = FolderDisk(gateway.gateway.shared.data)
      try await gateway.wait(for: "the removal of the empty session") { try disk.sessions() == [damaged] }
      #expect(try gateway.status(of: damaged) == 200)
      let kept = await gateway.gateway.shared.owner(of: damaged).isTrue(of: damaged) {
        $0?.session.keepsDamage ?? false
      }
      #expect(kept)
      let findings = try await #require(gateway.gateway.shared.sweeper).look()
      #expect(findings.due.isEmpty)
    }

    @Test(
      "A session whose log ends with an incomplete record can be loaded, and is removed from the disk when it expires"
    )
    func torn() async throws {
      var gateway = try RunningGateway()
      let sessions = try (0..<3).map { _ in try gateway.makeSession() }
      for session in sessions {
        let member = try ParticipantClient(gateway, session).join()
        try member.send(member.entry([1], retention: .append))
        try member.readUntilCommitted()
      }
      gateway.stop()
      for session in sessions {
        let path = "\(gateway.folder)/data/sessions/\(session.text)/log"
        let log = try Data(contentsOf: URL(filePath: path))
        try Data(log.dropLast(3)).write(to: URL(filePath: path))
      }
      gateway = try gateway.restart(.cut) {
        RunningGateway.forgetful(&$0)
        $0.limits.sessionKeepSeconds = 1
        $0.limits.sessions = 3
      }
      let disk = FolderDisk(gateway.gateway.shared.data)
      try await gateway.wait(for: "an empty folder") { try disk.sessions().isEmpty }
      try await gateway.wait(for: "room for a session") { try gateway.statusOfNewSession() == 201 }
    }
  }
}
