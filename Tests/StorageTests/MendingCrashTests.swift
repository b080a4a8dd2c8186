import Glibc
import SessionCore
import Storage
import Testing
import Wire
import TestSupport

/// Repairs of a damaged log that are interrupted by the end of the process, a failing call of the disk, or a power cut.
@Suite("A repair of a damaged log survives crashes, failed disk calls and power cuts")
struct MendingCrashTests {
  private static let records = [.session, .numbers] + (1...12).map { SessionRecord.run($0) }
  private static let lost = 5

  /// Returns a disk with one log, which has a damaged record. All bytes are synced.
  private static func damagedDisk() throws -> (disk: MemoryDisk, lostBytes: [UInt8]) {
    let disk = MemoryDisk()
    var bytes = LogDamageTests.written(records)
    let ends = records.indices.map { LogDamageTests.written(Array(records[...$0])).count }
    bytes[ends[lost - 1] + 20] ^= 8
    try Bench(disk: disk, folder: nil).place(bytes)
    try disk.syncAll()
    return (disk, Array(bytes[ends[lost - 1]..<ends[lost]]))
  }

  /// Checks that only the damaged record is lost, that its bytes are kept in another file, and that the session can be opened.
  private static func check(
    _ disk: MemoryDisk, _ lostBytes: [UInt8], isDone: Bool, _ comment: Comment
  ) async throws {
    let fixture = try StoreFixture(disk)
    var expected = records
    expected.remove(at: lost)
    let (found, end) = try fixture.read()
    #expect(found.prefix(expected.count) == expected[...], comment)
    if isDone { #expect(end.skipped.isEmpty && found.last == .base(9), comment) }
    let length = try await fixture.store.adopt(.one, end, [.run(20)])
    let (again, after) = try fixture.read()
    #expect(again == found + [.run(20)] && after.damage == nil && after.skipped.isEmpty, comment)
    #expect(after.length == length, comment)
    let bench = Bench(disk: disk, folder: nil)
    #expect(try bench.bytes(.next) == nil, comment)
    let kept = try (1...3).contains { try bench.bytes(.damaged($0)) == lostBytes }
    #expect(kept, comment)
  }

  private static func mend(_ store: FolderStore) async throws {
    let end = try store.read(.one) { _, _ in }
    _ = try await store.adopt(.one, end, [.base(9)])
  }

  @Test(
    "ST9 If the process ends at any call of a repair, only the damaged record is lost, and its bytes are kept",
    arguments: [Durability.process, .full], FaultyDisk.Style.allCases)
  func kill(_ durability: Durability, _ style: FaultyDisk.Style) async throws {
    for call in 1...200 {
      let (memory, lostBytes) = try Self.damagedDisk()
      let plan = FaultyDisk.Plan(call: call, code: EIO, style: style, lasts: true)
      let faulty = FaultyDisk(memory, plan)
      let fixture = try StoreFixture(faulty, durability)
      let isDone = (try? await Self.mend(fixture.store)) != nil
      try await Self.check(memory.afterKill(), lostBytes, isDone: isDone, "call \(call)")
      if isDone { return }
    }
    Issue.record("the repair did not succeed within 200 calls")
  }

  @Test(
    "ST9 If any single disk call of a repair fails, a second repair succeeds",
    arguments: FaultyDisk.Style.allCases)
  func failure(_ style: FaultyDisk.Style) async throws {
    for call in 1...200 {
      let (memory, lostBytes) = try Self.damagedDisk()
      let faulty = FaultyDisk(memory, FaultyDisk.Plan(call: call, code: ENOSPC, style: style))
      let fixture = try StoreFixture(faulty, .full)
      let isDone = (try? await Self.mend(fixture.store)) != nil
      faulty.mend()
      if !isDone, (try? await Self.mend(fixture.store)) == nil {
        Issue.record("call \(call): the repeated repair fails")
      }
      await fixture.store.release(.one)
      let found = try StoreFixture(memory).read().records
      #expect(found.contains(.base(9)), "call \(call)")
      try await Self.check(memory, lostBytes, isDone: isDone, "call \(call)")
      if isDone { return }
    }
  }

  @Test(
    "ST9 A power cut at any call of a repair loses only the damaged record, with any durability setting",
    arguments: [Durability.process, .full], [1, 2, 3] as [UInt64])
  func powerCut(_ durability: Durability, seed: UInt64) async throws {
    var chance = SeededGenerator(seed: seed)
    for call in 1...200 {
      let (memory, lostBytes) = try Self.damagedDisk()
      let plan = FaultyDisk.Plan(call: call, code: EIO, style: .half, lasts: true)
      let fixture = try StoreFixture(FaultyDisk(memory, plan), durability)
      let isDone = (try? await Self.mend(fixture.store)) != nil
      for _ in 0..<3 {
        let cut = memory.afterPowerCut(using: &chance)
        try await Self.check(cut, lostBytes, isDone: isDone && durability == .full, "call \(call)")
      }
      if isDone { return }
    }
  }
}
