import Glibc
import SessionCore
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// Tests of the rules P1 to P4 (SessionCore.md) with a session that is unloaded and loaded again many times, and whose gateway
  /// is restarted.
  @Suite("Participants can join and leave at any time, and no entry is lost")
  struct ComingAndGoingTests {
    @Test(
      "P1–P4: while participants join and leave, each entry is delivered once, in one order",
      arguments: [UInt64](1...3))
    func walk(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      var gateway = try RunningGateway(reactors: 2, RunningGateway.forgetful)
      let session = try gateway.makeSession()
      let members = try (0..<4).map { try ParticipantClient(gateway, session, isSecure: $0 == 1).join() }
      var drawn = [Int](repeating: 0, count: members.count)
      var isThere = [Bool](repeating: true, count: members.count)
      for _ in 0..<250 {
        let who = Int(random.next(below: UInt64(members.count)))
        let member = members[who]
        switch random.next(below: 20) {
        case 0:
          // All connections break at the same time, so the session is unloaded unless a participant rejoins first.
          for member in members { member.cut() }
          isThere = isThere.map { _ in false }
        case 1 where random.next(below: 4) == 0:
          for member in members { member.cut() }
          isThere = isThere.map { _ in false }
          gateway = try gateway.restart(random.next(below: 2) == 0 ? .cut : .drained)
          for member in members { member.gateway = gateway }
        case 1...5:
          member.cut()
          isThere[who] = false
        case 6...10 where !isThere[who]:
          try member.join()
          isThere[who] = true
        default:
          guard isThere[who] else { continue }
          drawn[who] += 1
          try member.send(member.entry(Self.payload(who, drawn[who]), retention: .append))
          if random.next(below: 16) == 0 { try member.readUntilCommitted() }
        }
      }
      for (member, isThere) in zip(members, isThere) where !isThere { try member.join() }
      let total = drawn.reduce(0, +)
      let witness = try ParticipantClient(gateway, session).join()
      for member in members + [witness] {
        try member.read(until: "all entries") { $0.state.held[.zero]?.count ?? 0 >= total }
        #expect(member.state.held == witness.state.held)
      }
      for member in members { try member.readUntilCommitted() }
      let held = witness.state.held[.zero] ?? []
      for who in members.indices {
        let own = held.filter { $0[0] == UInt8(who) }
        #expect(own == (0..<drawn[who]).map { Self.payload(who, $0 + 1) }, "the entries of member \(who)")
      }
      #expect(Set(members.map(\.number)).count == members.count)
      // After another crash of the gateway, a new participant gets the same retained entries.
      gateway = try gateway.restart(.cut)
      #expect(try ParticipantClient(gateway, session).join().state.held == witness.state.held)
    }

    private static func payload(_ who: Int, _ number: Int) -> [UInt8] {
      [UInt8(who), UInt8(number >> 8), UInt8(number & 255)]
    }

    @Test(
      "P3: if a participant joins while the session is being unloaded, the session continues, even if the disk then fails"
    )
    func comesWhilePutAway() async throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk, RunningGateway.forgetful)
      let session = try gateway.makeSession()
      let first = try ParticipantClient(gateway, session).join()
      for value in 0..<3 { try first.send(first.entry([UInt8(value)], retention: .append)) }
      try first.readUntilCommitted()
      disk.hang { $0.session == session && $0.kinds.contains(.closed) }
      first.cut()
      try disk.waitUntilMet()
      let second = try ParticipantClient(gateway, session).join()
      // The `closed` record is written; later records are not.
      disk.fail(with: ENOSPC) { $0.session == session && !$0.kinds.contains(.closed) && $0.kind == .write }
      try disk.waitUntilMet()
      let third = try ParticipantClient(gateway, session).join()
      for value in 3..<6 { try second.send(second.entry([UInt8(value)], retention: .append)) }
      try third.read(until: "all six entries") { $0.state.held[.zero]?.count == 6 }
      let (epoch, sequence) = (try #require(third.joined?.epoch), third.sequence)
      second.cut()
      third.cut()
      gateway = try gateway.restart(.drained)
      let fourth = try ParticipantClient(gateway, session).join()
      try fourth.send(fourth.entry([100], retention: .append))
      try fourth.readUntilCommitted()
      // If the session has not begun a new epoch, its sequence must not be lower than before the restart. Otherwise, two entries
      // could get the same sequence.
      if fourth.joined?.epoch == epoch {
        #expect(try #require(fourth.joined?.sequence) >= sequence)
      }
      #expect(![second.number, third.number].contains(fourth.number))
      third.gateway = gateway
      second.gateway = gateway
      try third.join()
      try second.join()
      let newcomer = try ParticipantClient(gateway, session).join()
      for member in [second, third, fourth] {
        try member.read(through: newcomer.sequence)
        #expect(member.state.held == newcomer.state.held)
      }
    }

    @Test(
      "Participant numbers and sequences stay unique even if a session continues after its `closed` record")
    func closedAndGoingOn() async throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk, RunningGateway.forgetful)
      let session = try gateway.makeSession()
      var numbers: Set<ParticipantNumber> = []
      for _ in 0..<8 {
        let member = try ParticipantClient(gateway, session).join()
        #expect(numbers.insert(member.number).inserted)
        try member.send(member.entry([UInt8(member.number & 255)], retention: .append))
        try member.readUntilCommitted()
        disk.hang { $0.session == session && $0.kinds.contains(.closed) }
        member.cut()
        try disk.waitUntilMet()
        let other = try ParticipantClient(gateway, session).join()
        #expect(numbers.insert(other.number).inserted)
        disk.mend()
        other.cut()
        try await gateway.wait(for: "the session is unloaded", of: session) { $0 == nil }
      }
      gateway = try gateway.restart(.cut)
      let last = try ParticipantClient(gateway, session).join()
      #expect(numbers.insert(last.number).inserted)
      #expect(last.state.held[.zero]?.count == 8)
    }
  }
}
