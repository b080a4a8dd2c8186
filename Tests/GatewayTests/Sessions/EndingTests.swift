import Networking
import FoundationEssentials
import Glibc
import Primitives
import SessionCore
import Storage
import Testing
import Platform
import Wire

@testable import Gateway

extension OverSockets {
  /// The end of a session, which is on the disk before participants are informed, and is permanent.
  @Suite("The end of a session is on the disk before participants are informed, and is permanent")
  struct EndingTests {
    /// The time at which a session without participants is ended.
    enum Moment: CaseIterable {
      /// The `closed` record of the session waits until a batch of another session is written.
      case beforePuttingAway
      /// The `closed` record of the session is being written.
      case whilePuttingAway
      /// The `closed` record of the session is being written, and the gateway stops.
      case whileStopping
    }

    /// Creates a session to which one participant has sent entries, and waits until all entries are committed. Returns the
    /// session, the participant and its token.
    private static func drawn(
      on gateway: RunningGateway, entries: Int = 3
    ) throws -> (session: SessionID, member: ParticipantClient, token: Token) {
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      for index in 0..<entries { try member.send(member.entry([UInt8(index)], retention: .append)) }
      try member.readUntilCommitted()
      return (session, member, try #require(member.joined?.token))
    }

    @Test(
      "P4: after the end of a session is acknowledged, the end is permanent, no matter which records were being written",
      arguments: Moment.allCases)
    func endedWhilePutAway(_ moment: Moment) async throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk) {
        $0.limits.graceSeconds = 0
        $0.limits.sessionIdleSeconds = moment == .whileStopping ? 60 : 0
      }
      let (session, member, token) = try Self.drawn(on: gateway)
      switch moment {
      case .beforePuttingAway:
        let (other, busy, _) = try Self.drawn(on: gateway)
        disk.hang { $0.session == other }
        try busy.send(busy.entry([1]))
        try disk.waitUntilMet()
        member.cut()
        try await gateway.wait(for: "the `closed` record is requested", of: session) {
          $0?.hasFinalRecord == true
        }
      case .whilePuttingAway:
        disk.hang { $0.session == session && $0.kinds.contains(.closed) }
        member.cut()
        try disk.waitUntilMet()
      case .whileStopping:
        member.cut()
        try await gateway.wait(for: "no participants", of: session) {
          $0?.session.activeParticipantCount == 0
        }
        try await gateway.waitUntilSaved(session)
        disk.hang { $0.session == session && $0.kinds.contains(.closed) }
        gateway.gateway.drain()
        try disk.waitUntilMet()
      }
      let ending = try Asked { [gateway] in try gateway.end(session, token) }
      try await gateway.wait(for: "the end of the session begins", of: session) { $0?.isEnding ?? false }
      disk.mend()
      // A gateway that is stopping may leave the request unanswered.
      let status = moment == .whileStopping ? try? ending.wait() : try ending.wait()
      #expect(status == 204 || moment == .whileStopping)
      gateway = try gateway.restart(moment == .whileStopping ? .drained : .cut)
      let after = try gateway.status(of: session)
      switch status {
      case 204: #expect(after == 410)
      case nil: #expect(after == 410 || after == 200)
      default: #expect(after == 200)
      }
    }

    @Test(
      "No record follows the `end` record, even if an entry or a removal arrives while `end` is written")
    func nothingBehind() async throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk)
      let (session, member, token) = try Self.drawn(on: gateway)
      let journal = try JournalClient(gateway, session)
      let attachment = UUID()
      #expect(try journal.add(attachment, [1, 2, 3]).status == 201)
      disk.hang { $0.session == session && $0.kinds.contains(.end) }
      let ending = try Asked { [gateway] in try gateway.end(session, token) }
      try disk.waitUntilMet()
      let path = journal.path(of: attachment)
      let removal = try Asked { [gateway] in try gateway.status("DELETE", path) }
      try member.send(member.entry([9], retention: .append))
      try await gateway.wait(for: "a request that waits for the disk", of: session) {
        $0.map { $0.hasWaiters && $0.session.hasUnsaved } ?? false
      }
      disk.mend()
      #expect(try ending.wait() == 204)
      #expect(try removal.wait() != 204)
      gateway = try gateway.restart(.cut)
      #expect(try gateway.kinds(of: session).last == .end)
      #expect(try gateway.status(of: session) == 410)
      #expect(try gateway.restoreSession(session))
      #expect(try gateway.status(of: session) == 200)
      let again = try ParticipantClient(gateway, session).join()
      #expect(again.state.held[.zero] == [[0], [1], [2]])
    }

    @Test(
      "While a session is being ended, a second request to end it waits, and succeeds or fails like the first one",
      arguments: [true, false])
    func twice(isWell: Bool) async throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk)
      let (session, member, token) = try Self.drawn(on: gateway)
      disk.hang { $0.session == session && $0.kinds.contains(.end) }
      let first = try Asked { [gateway] in try gateway.end(session, token) }
      try disk.waitUntilMet()
      let second = try Asked { [gateway] in try gateway.end(session, token) }
      try await gateway.wait(for: "the second request", of: session) {
        $0.map { !$0.endWaiters.isEmpty } ?? false
      }
      #expect(!first.isAnswered)
      #expect(!second.isAnswered)
      if isWell {
        disk.mend()
        #expect(try first.wait() == 204)
        #expect(try second.wait() == 410)
        try member.read(until: "the end") { $0.closed == 4010 }
      } else {
        disk.fail(with: EIO) { $0.session == session }
        #expect(try first.wait() == 507)
        #expect(try second.wait() == 507)
        disk.mend()
        try member.send(member.entry([9], retention: .append))
        try member.readUntilCommitted()
      }
      gateway = try gateway.restart(.cut)
      #expect(try gateway.status(of: session) == (isWell ? 410 : 200))
    }

    @Test(
      "If another process undoes the end of a session, participants can join and draw again",
      arguments: [false, true])
    func restored(isForgotten: Bool) async throws {
      var gateway = try RunningGateway { $0.limits.sessionIdleSeconds = isForgotten ? 0 : 60 }
      let (session, member, token) = try Self.drawn(on: gateway)
      for round in 0..<3 {
        let owner = gateway.gateway.shared.owner(of: session)
        #expect(try gateway.end(session, token) == 204)
        try member.read(until: "the end") { $0.closed == 4010 }
        if isForgotten, round == 0 {
          try await gateway.wait(for: "no ended session in memory") { await owner.endedCount == 0 }
        }
        #expect(try gateway.status(of: session) == 410)
        #expect(try gateway.restoreSession(session))
        #expect(try gateway.status(of: session) == 200)
        try member.join()
        #expect(member.joined?.resumed == true)
        try member.send(member.entry([UInt8(3 + round)], retention: .append))
        try member.readUntilCommitted()
      }
      let all = (0..<6).map { [UInt8($0)] }
      #expect(member.state.held[.zero] == all)
      gateway = try gateway.restart(.cut)
      #expect(try ParticipantClient(gateway, session).join().state.held[.zero] == all)
    }

    @Test(
      "An ended session is unloaded from memory, even if it had incomplete uploads or disconnected participants"
    )
    func forgotten() async throws {
      let gateway = try RunningGateway { $0.limits.sessionIdleSeconds = 0 }
      for index in 0..<6 {
        let (session, member, token) = try Self.drawn(on: gateway)
        let others = try (0..<index % 3).map { _ in try ParticipantClient(gateway, session).join() }
        for other in others { other.cut() }
        if index % 2 == 0 {
          // The upload is kept for a day, so that it can be resumed.
          #expect(try JournalClient(gateway, session).create(UUID(), size: 10).status == 201)
        }
        #expect(try gateway.end(session, token) == 204)
        try member.read(until: "the end") { $0.closed == 4010 }
        #expect(try gateway.status(of: session) == 410)
      }
      let reactor = gateway.gateway.shared.owner(of: SessionID(high: 0, low: 0))
      try await gateway.wait(for: "no ended session in memory") { await reactor.endedCount == 0 }
      try await gateway.wait(for: "no log open") { try gateway.openLogs() == 0 }
    }

    @Test(
      "Two clients that join while an ended session is being unloaded are both told that the session has ended"
    )
    func foundWhileForgotten() async throws {
      let gateway = try RunningGateway()
      for _ in 0..<20 {
        let (session, _, token) = try Self.drawn(on: gateway, entries: 1)
        #expect(try gateway.end(session, token) == 204)
        let searches = await gateway.gateway.shared.owner(of: session).searchWhileForgetting(session)
        for search in searches { #expect(await search.value) }
      }
    }

    @Test(
      "Each stored session counts once toward the limit, even if the session ends while the data folder is swept"
    )
    func counts() async throws {
      var gateway = try RunningGateway { $0.limits.sessions = 5 }
      var sessions = try (0..<5).map { _ in try Self.drawn(on: gateway, entries: 1) }
      #expect(try gateway.statusOfNewSession() == 503)
      let disk = TroubledDisk()
      let listings = Guarded(0)
      // The first listing of the data folder only counts the sessions. The second listing is part of the sweep, and hangs here.
      disk.hang { call in
        call.kind == .list
          && listings.withLock { count in
            count += 1
            return count > 1
          }
      }
      gateway = try gateway.restart(.cut, disk: disk)
      try disk.waitUntilMet()
      for (session, _, token) in sessions[..<2] { #expect(try gateway.end(session, token) == 204) }
      disk.mend()
      let first = gateway.gateway.shared.owner(of: SessionID(high: 0, low: 0))
      try await gateway.wait(for: "the end of the sweep") { await first.hasSwept }
      for _ in 0..<2 { sessions.append(try Self.drawn(on: gateway, entries: 1)) }
      #expect(try gateway.statusOfNewSession() == 503)
      for end in RunningGateway.End.allCases {
        gateway = try gateway.restart(end)
        #expect(try gateway.statusOfNewSession() == 503)
        let (last, _, token) = sessions.removeLast()
        #expect(try gateway.end(last, token) == 204)
        // After a start, ended sessions also count toward the limit `sessions`, until the sweep has read their folders.
        try await gateway.wait(for: "room for a session") { try gateway.statusOfNewSession() == 201 }
        #expect(try gateway.statusOfNewSession() == 503)
      }
    }
  }
}

extension Reactor {
  /// True when no sweep of the store is running.
  fileprivate var hasSwept: Bool { housekeeping?.sweepSchedule?.nextDeadline != nil }

  /// Starts two lookups of an ended session in the turn in which the session is unloaded.
  fileprivate func searchWhileForgetting(_ id: SessionID) -> [Task<Bool, Never>] {
    sessions.endedSessionCache[id]?.idleSince = MonotonicTime(nanoseconds: 0)
    let searches = (0..<2).map { _ in
      Task { if case .ended = await sessions.find(id) { true } else { false } }
    }
    sessions.forgetIfIdle(id)
    return searches
  }
}
