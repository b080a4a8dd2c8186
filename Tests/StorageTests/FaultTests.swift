import Glibc
import Storage
import Testing
import Wire
import TestSupport

@Suite("No fault loses a record that was reported as stored")
struct FaultTests {
  @Test("If no operation of the disk fails, all records of the test are stored", arguments: Backend.allCases)
  func plain(_ backend: Backend) async throws {
    for durability in [Durability.process, .full] {
      let bench = try backend.make()
      let scenario = Scenario(try StoreFixture(bench, durability), attempts: 1)
      try await scenario.run()
      try await scenario.check(bench.disk, "no fault")
    }
  }

  @Test(
    "ST2 If any single operation of the disk fails and is repeated, all records are stored in the end",
    arguments: [
      (Backend.folder, Durability.process, FaultyDisk.Style.half), (.memory, .process, .nothing),
      (.memory, .process, .half), (.memory, .process, .everything),
      (.memory, .full, .nothing), (.memory, .full, .half), (.memory, .full, .everything),
    ])
  func once(_ backend: Backend, _ durability: Durability, _ style: FaultyDisk.Style) async throws {
    for call in 1... {
      let bench = try backend.make()
      let code = style == .half ? ENOSPC : EIO
      let disk = FaultyDisk(bench.disk, FaultyDisk.Plan(call: call, code: code, style: style))
      let scenario = Scenario(try StoreFixture(disk, durability), attempts: 4)
      await #expect(throws: Never.self, "call \(call)") { try await scenario.run() }
      try await scenario.check(bench.disk, "call \(call)")
      guard disk.calls >= call, call < 1000 else { break }
    }
  }

  @Test(
    "ST2 If all disk operations fail until the disk is repaired, all records are stored after the repair",
    arguments: [Durability.process, .full], FaultyDisk.Style.allCases)
  func lasting(_ durability: Durability, _ style: FaultyDisk.Style) async throws {
    for call in 1... {
      let memory = MemoryDisk()
      let plan = FaultyDisk.Plan(call: call, code: ENOSPC, style: style, lasts: true)
      let disk = FaultyDisk(memory, plan)
      let fixture = try StoreFixture(disk, durability)
      let scenario = Scenario(fixture, attempts: 2)
      let isWhole = (try? await scenario.run()) != nil
      disk.mend()
      for (id, said) in scenario.said where said.created == .certain && said.removed == .none {
        let outcome = await fixture.append((said.kept + 1...said.sent + 1).map { .run($0) }, to: id)
        if case .failure(let error) = outcome {
          // The append can fail only because the session was released and not adopted again.
          #expect(error.code == ENOENT, "call \(call): \(error)")
          let (records, end) = try fixture.read(id)
          _ = try await fixture.store.adopt(id, end, [.run(Replayed(records).last + 1)])
        }
        let replayed = Replayed(try fixture.read(id).records)
        #expect(replayed.isSeamless && replayed.last > said.kept, "call \(call): \(replayed)")
      }
      if isWhole { break }
    }
  }

  @Test(
    "ST1 If the process ends at any operation of the disk, no record that was reported as stored is lost",
    arguments: [Durability.process, .full], FaultyDisk.Style.allCases)
  func kill(_ durability: Durability, _ style: FaultyDisk.Style) async throws {
    for call in 1... {
      let memory = MemoryDisk()
      let plan = FaultyDisk.Plan(call: call, code: EIO, style: style, lasts: true)
      let scenario = Scenario(try StoreFixture(FaultyDisk(memory, plan), durability), attempts: 1)
      let isWhole = (try? await scenario.run()) != nil
      try await scenario.check(memory.afterKill(), "call \(call)")
      if isWhole { break }
    }
  }

  @Test(
    "ST5 After a power cut at any operation of the disk with `full` durability, no record that was reported as stored is lost",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func powerCut(seed: UInt64) async throws {
    var chance = SeededGenerator(seed: seed)
    for call in 1... {
      let memory = MemoryDisk()
      let plan = FaultyDisk.Plan(call: call, code: EIO, style: .half, lasts: true)
      let scenario = Scenario(try StoreFixture(FaultyDisk(memory, plan), .full), attempts: 1)
      let isWhole = (try? await scenario.run()) != nil
      for _ in 0..<2 {
        let cut = memory.afterPowerCut(using: &chance)
        try await scenario.check(cut, afterPowerCut: true, "call \(call)")
      }
      if isWhole { break }
    }
  }
}
