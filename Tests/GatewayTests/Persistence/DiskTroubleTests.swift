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
  /// While the disk fails or hangs, participants can continue to draw, and are informed of the failure.
  @Suite("Sessions continue while the disk fails or hangs")
  struct DiskTroubleTests {
    private static func isToldOf(_ code: NoticePayload.Code) -> (ParticipantClient) throws -> Bool {
      { client in
        try client.received.contains {
          try $0.type == SystemType.notice && NoticePayload.decode($0.payload.span).code == code
        }
      }
    }

    /// Returns the entries that the participants have drawn, which all have the key zero.
    private static func drawing(_ client: ParticipantClient) -> [[UInt8]] { client.state.held[.zero] ?? [] }

    @Test(
      "P4: while the disk fails, only saved entries are committed, all participants are informed, and no entry is lost",
      arguments: [(ENOSPC, RunningGateway.End.cut), (EIO, .drained)])
    func fails(with code: CInt, _ end: RunningGateway.End) throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk)
      let session = try gateway.makeSession()
      let members = try (0..<3).map { try ParticipantClient(gateway, session, isSecure: $0 == 1).join() }
      for member in members {
        try member.send(member.entry([UInt8(member.number), 0], retention: .append))
        try member.readUntilCommitted()
      }
      let committed = try #require(members.map(\.committed).max())
      disk.fail(with: code)
      for round in 1..<20 {
        for member in members {
          try member.send(member.entry([UInt8(member.number), UInt8(round)], retention: .append))
        }
      }
      for member in members {
        // All members get all entries, although the disk fails.
        try member.read(until: "all entries") { Self.drawing($0).count == 60 }
        try member.read(until: "the notice about the failing disk", Self.isToldOf(.storageFull))
        #expect(member.committed <= committed)
      }
      #expect(try gateway.status("GET", "/readyz") == 200)
      #expect(gateway.gateway.shared.status(now: .now()).refusesNewData)
      #expect(try gateway.status("GET", "/healthz") == 200)
      #expect(try gateway.statusOfNewSession() == 507)
      let journal = try JournalClient(gateway, session)
      #expect(try journal.add(UUID(), [1, 2, 3]).status == 507)
      #expect(try gateway.end(session, try #require(members[0].joined?.token)) == 507)
      // A new participant joins, and gets the same entries as the other participants.
      let late = try ParticipantClient(gateway, session).join()
      #expect(Self.drawing(late) == Self.drawing(members[0]))
      disk.mend()
      for member in members + [late] {
        try member.read(until: "the notice `saved`", Self.isToldOf(.saved))
        try member.readUntilCommitted()
      }
      #expect(!gateway.gateway.shared.status(now: .now()).refusesNewData)
      #expect(try gateway.statusOfNewSession() == 201)
      #expect(try journal.add(UUID(), [1, 2, 3]).status == 201)
      let state = Self.drawing(members[0])
      gateway = try gateway.restart(end)
      for member in members {
        member.gateway = gateway
        try member.join()
        #expect(member.joined?.resumed == true)
        #expect(Self.drawing(member) == state)
      }
    }

    @Test("P2: a gateway that is killed while its disk fails loses only uncommitted entries")
    func killedWhileFailing() throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk)
      let session = try gateway.makeSession()
      let members = try (0..<2).map { _ in try ParticipantClient(gateway, session).join() }
      func draw(_ value: UInt8) throws {
        for member in members {
          try member.send(member.entry([UInt8(member.number), value], retention: .append))
        }
      }
      try draw(0)
      for member in members { try member.readUntilCommitted() }
      disk.fail(with: ENOSPC) { $0.kind == .write }
      for value in 1..<9 { try draw(UInt8(value)) }
      for member in members { try member.read(until: "all entries") { Self.drawing($0).count == 18 } }
      try disk.waitUntilMet()
      for member in members { member.cut() }
      gateway = try gateway.restart(.cut)
      // The uncommitted entries are lost on the gateway. Their senders still have them, and send each one again.
      for member in members {
        member.gateway = gateway
        try member.join()
        #expect(member.joined?.acknowledged == 1)
        #expect(member.catchUps.last == .snapshot)
      }
      for member in members {
        try member.read(until: "all entries again") { Self.drawing($0).count == 18 }
        try member.readUntilCommitted()
        for other in members {
          let mine = Self.drawing(member).filter { $0[0] == UInt8(other.number) }.map { $0[1] }
          #expect(mine == (0..<9).map { UInt8($0) })
        }
      }
      #expect(Self.drawing(members[0]) == Self.drawing(members[1]))
    }

    @Test(
      "P6: if a session has too many unsaved bytes, its entries are refused, except those that make the session smaller"
    )
    func unsavedOfSession() throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk) { $0.limits.unsavedSessionBytes = 200_000 }
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      let key = EntryKey(high: 7, low: 7)
      try member.send(member.entry([1], retention: .replace, key: key))
      try member.readUntilCommitted()
      disk.fail(with: ENOSPC)
      let payload = [UInt8](repeating: 5, count: 10_000)
      // Entries are sent one at a time, because an entry that follows a refused one is dropped.
      var taken = 0
      while member.errors.isEmpty, taken < 40 {
        let before = member.received.count { $0.type == "Test" }
        try member.send(member.entry(payload, retention: .append))
        try member.read(until: "an answer") {
          $0.received.count { $0.type == "Test" } > before || !$0.errors.isEmpty
        }
        taken += 1
      }
      let refusal = try #require(member.errors.first)
      #expect(refusal.code == .storageFull)
      #expect(refusal.retryAfterMs == 1000)
      #expect((15...21).contains(taken), "\(taken) entries of 10,000 bytes")
      #expect(Self.drawing(member).count == taken - 1)
      // A `remove` is sent in place of the refused entry.
      let due = try #require(refusal.clientSequence)
      try member.sendInstead(of: due, retention: .remove, key: key)
      try member.read(until: "the removal") { $0.state.held[key] == nil }
      try member.read(until: "the notice about the failing disk", Self.isToldOf(.storageFull))
      disk.mend()
      try member.read(until: "the notice `saved`", Self.isToldOf(.saved))
      try member.send(member.entry(payload, retention: .append))
      try member.readUntilCommitted()
      gateway = try gateway.restart(.cut)
      let newcomer = try ParticipantClient(gateway, session).join()
      #expect(newcomer.state.held == member.state.held)
      #expect(Self.drawing(newcomer).count == taken)
    }

    @Test(
      "P6: the unsaved bytes of all sessions together are limited, even if the disk hangs without an error")
    func unsavedOfAll() throws {
      let disk = TroubledDisk()
      let limit = 1_000_000
      let gateway = try RunningGateway(disk: disk) { $0.limits.unsavedBytes = limit }
      let members = try (0..<5).map { _ in try ParticipantClient(gateway, gateway.makeSession()).join() }
      for member in members {
        try member.send(member.entry([1]))
        try member.readUntilCommitted()
      }
      disk.hang { $0.kind == .write }
      let payload = [UInt8](repeating: 5, count: 20_000)
      for _ in 0..<30 {
        for member in members where member.errors.isEmpty {
          let before = member.received.count
          try member.send(member.entry(payload, retention: .append))
          try member.read(until: "an answer") { $0.received.count > before || !$0.errors.isEmpty }
        }
      }
      for member in members { #expect(member.errors.first?.code == .storageFull) }
      let held = members.reduce(0) { $0 + Self.drawing($1).count * payload.count }
      // Each session may exceed the limit by the bytes that are not counted yet and by one entry.
      #expect(held > limit / 2)
      #expect(held <= limit + members.count * (65_536 + payload.count + 4096), "\(held) bytes")
      disk.mend()
      for member in members {
        try member.read(until: "all accepted entries are committed") {
          $0.committed >= $0.received.last { $0.type == "Test" }?.sequence ?? .max
        }
        // After a reconnect, the client sends the refused entries again.
        member.cut()
        try member.join()
        try member.readUntilCommitted()
      }
    }

    @Test(
      "If the disk hangs, participants and the stop of the gateway are not delayed", arguments: [false, true])
    func hangs(stopsTwice: Bool) throws {
      let disk = TroubledDisk()
      let gateway = try RunningGateway(reactors: 2, disk: disk)
      let session = try gateway.makeSession()
      let members = try (0..<2).map { _ in try ParticipantClient(gateway, session).join() }
      try members[0].send(members[0].entry([0], retention: .append))
      try members[0].readUntilCommitted()
      let committed = members[0].committed
      disk.hang()
      for value in 1..<50 { try members[0].send(members[0].entry([UInt8(value)], retention: .append)) }
      for member in members { try member.read(until: "the drawing") { Self.drawing($0).count == 50 } }
      try disk.waitUntilMet()
      #expect(members[0].committed == committed)
      let before = MonotonicTime.now()
      gateway.gateway.drain()
      if stopsTwice { gateway.gateway.stop() }
      gateway.gateway.waitUntilStopped()
      let time = MonotonicTime.now() - before
      // A drain that waits for the disk takes more than 4.5 s.
      #expect(time < (stopsTwice ? .seconds(4) : .seconds(8)))
      // The stop does not count as clean, because a thread may still be writing.
      #expect(!FileManager.default.fileExists(atPath: gateway.folder + "/data/clean"))
      disk.mend()
    }

    @Test("If only one log cannot be written, the disk does not count as failing")
    func oneLog() throws {
      let disk = TroubledDisk()
      let gateway = try RunningGateway(disk: disk)
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      disk.fail(with: ESTALE) { $0.session == session }
      try member.send(member.entry([1]))
      try member.read(until: "the notice about the failing disk", Self.isToldOf(.storageFull))
      #expect(!gateway.gateway.shared.status(now: .now()).refusesNewData)
      #expect(try gateway.statusOfNewSession() == 201)
      disk.mend()
      try member.readUntilCommitted()
    }

    @Test("After a failed write, new data is refused for a few seconds, and longer if writes fail again")
    func forgets() throws {
      let watch = DiskMonitor(reserve: 0) { 1_000 }
      let begin = MonotonicTime.now()
      #expect(
        watch.recordBatch(failure: StorageError(.writeLog, code: ENOSPC), of: 0, now: begin) == .failing)
      #expect(watch.recordBatch(failure: nil, of: 1, now: begin) == .unchanged)
      #expect(watch.refusal(now: begin + .seconds(1))?.code == .storageFull)
      #expect(watch.refusal(now: begin + .seconds(60)) == nil)
      #expect(watch.recordBatch(failure: nil, of: 0, now: begin + .seconds(60)) == .recovered)
    }

    @Test(
      "If measuring the free disk space hangs, the previous figure stays readable, and new data is refused after ten seconds"
    )
    func hangs() async throws {
      let begun = Guarded(false)
      let isOver = Guarded(false)
      let answers = Guarded<[UInt64]>([1_000])
      let watch = DiskMonitor(reserve: 0) {
        if let free = answers.withLock({ $0.popLast() }) { return free }
        begun.withLock { $0 = true }
        let deadline = TestTimeout.deadline
        while !isOver.withLock({ $0 }), .now() < deadline { sched_yield() }
        return 2_000
      }
      let thread = try BlockingExecutor(name: "disk")
      defer { thread.stop() }
      let gauge = DiskGauge(watch, on: thread)
      await gauge.measure()
      #expect(watch.figures.free == 1_000)
      let asked = Task { await gauge.measure() }
      while !begun.withLock({ $0 }) { await Task.yield() }
      // While the other thread waits for the disk, the figure of the previous measurement can be read.
      #expect(watch.figures.free == 1_000)
      let now = MonotonicTime.now()
      #expect(watch.refusal(now: now) == nil)
      #expect(watch.refusal(now: now + .seconds(11))?.code == .storageFull)
      isOver.withLock { $0 = true }
      await asked.value
      #expect(watch.figures.free == 2_000 && watch.refusal(now: now + .seconds(11)) == nil)
    }

    @Test(
      "After a session with unsaved entries has expired, its failed writes no longer cause new data to be refused"
    )
    func expires() async throws {
      let disk = TroubledDisk()
      let gateway = try RunningGateway(disk: disk) {
        $0.limits.graceSeconds = 0
        // The participant must join the new session within this time.
        $0.limits.sessionKeepSeconds = TestTimeout.briefSeconds
      }
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      try member.send(member.entry([1], retention: .append))
      try member.readUntilCommitted()
      disk.fail(with: ENOSPC)
      try member.send(member.entry([2], retention: .append))
      try member.read(until: "the notice about the failing disk", Self.isToldOf(.storageFull))
      #expect(try gateway.status("GET", "/readyz") == 200)
      #expect(gateway.gateway.shared.status(now: .now()).refusesNewData)
      member.cut()
      try await gateway.wait(for: "the expiry of the session", of: session) { $0 == nil }
      disk.mend()
      // Simulates that the failure was long ago.
      let long = MonotonicTime.now() - .seconds(60)
      _ = gateway.gateway.shared.disk.recordBatch(
        failure: StorageError(.writeLog, code: ENOSPC), of: 0, now: long)
      #expect(!gateway.gateway.shared.status(now: .now()).refusesNewData)
      #expect(try gateway.statusOfNewSession() == 201)
    }
  }
}
