import SessionCore
import Storage
import Testing
import Wire
import TestSupport

@Suite("Stored records survive a power cut after a compaction")
struct CompactionPowerCutTests {
  @Test(
    "Records that are on the disk before a compaction survive a power cut after it, even with `process` durability"
  )
  func settledStays() async throws {
    let disk = MemoryDisk()
    let fixture = try StoreFixture(disk, .process)
    try await fixture.store.create(.one, [.session])
    for number in 1...3 as ClosedRange<UInt64> { _ = try await fixture.append([.run(number)]).get() }
    try await fixture.store.syncAll()
    try await fixture.store.beginCompaction(.one, [.session, .base(1)], through: 1)
    _ = try await fixture.store.finishCompaction(.one)
    var chance = SeededGenerator(seed: 1)
    for cut in 0..<200 {
      let after = try StoreFixture(disk.afterPowerCut(using: &chance), .process)
      let runs = try after.read().records.filter { $0.kind == .run }
      #expect(runs.suffix(2) == [.run(2), .run(3)], "power cut \(cut)")
    }
  }
}
