import Glibc
import SessionCore
import Storage
import Testing
import Platform
import Wire

@testable import Gateway

extension OverSockets {
  /// Compactions of logs while participants draw.
  @Suite("Compaction shortens session logs while participants draw, and loses no entry")
  struct CompactionTests {
    /// Lets participants replace most of their drawing, so that most entries in the log are superseded.
    private static func draw(
      _ members: [ParticipantClient], rounds: Range<Int>, bytes: Int = 30_000
    ) throws {
      for round in rounds {
        for (index, member) in members.enumerated() {
          let key = EntryKey(high: UInt64(index + 1), low: UInt64(round % 5))
          let payload = [UInt8(index), UInt8(round & 255)] + [UInt8](repeating: 9, count: bytes)
          try member.send(
            member.entry(payload, retention: .replace, key: key),
            member.entry([UInt8(index), UInt8(round & 255)], retention: .append),
            member.entry(
              [], retention: .remove, key: EntryKey(high: UInt64(index + 1), low: UInt64((round + 1) % 5))))
        }
        // Each member reads its own entries, so that it does not fall behind and get a snapshot.
        for member in members { try member.read(until: "its own last entry") { $0.isCurrent } }
      }
    }

    /// Draws until a condition is true. In each round, every member sends three entries. After every ten rounds, waits until the
    /// entries are saved.
    ///
    /// - Returns: the number of rounds.
    private static func draw(
      _ members: [ParticipantClient], in session: SessionID, on gateway: RunningGateway,
      until isEnough: @escaping @Sendable () throws -> Bool
    ) async throws -> Int {
      let met = Guarded(false)
      for start in stride(from: 0, to: 200, by: 10) {
        try draw(members, rounds: start..<start + 10)
        try await gateway.wait(for: "all entries are saved") {
          if try isEnough() { met.withLock { $0 = true } }
          guard !met.withLock({ $0 }) else { return true }
          return await gateway.gateway.shared.owner(of: session).isTrue(of: session) {
            $0.map { !$0.session.hasUnsaved && !$0.isInFlight } ?? true
          }
        }
        if met.withLock({ $0 }) { return start + 10 }
      }
      throw ClientError.outOfPatience(waitingFor: "a compaction")
    }

    private static func expectState(
      of session: SessionID, on gateway: RunningGateway, like members: [ParticipantClient]
    ) throws {
      for member in members {
        member.gateway = gateway
        try member.join()
        #expect(member.joined?.resumed == true)
      }
      for member in members { try member.readUntilCommitted() }
      let newcomer = try ParticipantClient(gateway, session).join()
      for member in members {
        try member.read(through: newcomer.sequence)
        #expect(member.state.held == newcomer.state.held)
      }
      for index in members.indices {
        let own = newcomer.state.held[.zero]?.filter { $0[0] == UInt8(index) }.map { $0[1] } ?? []
        #expect(own == (0..<own.count).map { UInt8($0) })
      }
    }

    @Test(
      "P4: participants can draw during a compaction, and a crash during or after the compaction loses no entry",
      arguments: [0, 1, 2, 3])
    func drawing(moment: Int) async throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk) { $0.limits.catchUpTailBytes = 200_000 }
      let session = try gateway.makeSession()
      let members = try (0..<3).map { try ParticipantClient(gateway, session, isSecure: $0 == 1).join() }
      // The process ends while the `base` records are written, before the sync, before the rename, or after the compaction.
      switch moment {
      case 0: disk.hang { $0.session == session && $0.kinds.contains(.base) }
      case 1: disk.hang { $0.session == session && $0.kind == .sync }
      case 2: disk.hang { $0.session == session && $0.kind == .replace }
      default: disk.hang { _ in false }
      }
      let before = gateway
      let rounds = try await Self.draw(members, in: session, on: gateway) {
        guard moment == 3 else { return disk.met > 0 }
        return try Metrics(of: before).value("compactions_total") > 0
      }
      try Self.draw(members, rounds: rounds..<rounds + 20)
      if moment == 3 {
        for member in members { try member.readUntilCommitted() }
      }
      for member in members { member.cut() }
      gateway.gateway.stop()
      disk.fail(with: EIO)
      // After the restart, all members send their entries again at the same time. The high limit for the tail prevents that a
      // member falls behind.
      gateway = try gateway.restart(.cut) { $0.limits.catchUpTailBytes = 4 << 20 }
      try Self.expectState(of: session, on: gateway, like: members)
      if moment == 3 {
        let log = try #require(gateway.gateway.shared.store as? FolderStore).byteCount(of: session)
        #expect(try #require(log) < (rounds + 10) * 3 * 30_000)
      }
    }

    @Test(
      "A log whose compaction fails continues unchanged",
      arguments: [TroubledDisk.Call.Kind.make, .replace])
    func fails(kind: TroubledDisk.Call.Kind) async throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk) { $0.limits.catchUpTailBytes = 200_000 }
      let session = try gateway.makeSession()
      let members = try (0..<3).map { try ParticipantClient(gateway, session, isSecure: $0 == 1).join() }
      disk.fail(with: ENOSPC) { $0.session == session && $0.kind == kind }
      let rounds = try await Self.draw(members, in: session, on: gateway) { disk.met > 0 }
      try Self.draw(members, rounds: rounds..<rounds + 20)
      // The failure of a compaction causes no notice to participants.
      for member in members {
        try member.readUntilCommitted()
        #expect(!member.received.contains { $0.type == SystemType.notice })
        member.cut()
      }
      #expect(try gateway.status("GET", "/readyz") == 200)
      // After the restart, all members send their entries again at the same time. The high limit for the tail prevents that a
      // member falls behind.
      gateway = try gateway.restart(.cut) { $0.limits.catchUpTailBytes = 4 << 20 }
      try Self.expectState(of: session, on: gateway, like: members)
    }
  }
}
