import Testing
import Wire

@testable import Gateway

/// The memory of all sessions, and the decision which sessions may grow when the memory is short.
@Suite("SessionMemory decides which sessions may grow when the memory is short")
struct SessionMemoryTests {
  @Test(
    "Above the memory limit, each session may still grow up to an equal share of a reserve, which is a quarter of the limit"
  )
  func parts() {
    let memory = SessionMemory(limit: 1600)
    _ = memory.hold(1500, sessions: 1)
    _ = memory.hold(100, sessions: 1)
    #expect(memory.memoryPressure(for: 1500) == nil)
    _ = memory.hold(2)
    #expect(memory.memoryPressure(for: 1502) == 1602)
    #expect(memory.memoryPressure(for: 199) == 1602)
    #expect(memory.memoryPressure(for: 198) == nil)
    _ = memory.hold(198)
    #expect(memory.memoryPressure(for: 100) == 1800)
    #expect(memory.memoryPressure(for: 99) == nil)
    _ = memory.hold(200)
    #expect(memory.memoryPressure(for: 0) == 2000)
    _ = memory.hold(-1700, sessions: -1)
    #expect(memory.memoryPressure(for: 300) == nil)
  }

  @Test("A small session may grow while other sessions have used up their shares")
  func reserve() {
    let memory = SessionMemory(limit: 64 << 20)
    _ = memory.hold(64 << 20, sessions: 12)
    let quiet = 64 << 10
    _ = memory.hold(quiet, sessions: 1)
    var sizes = Array(repeating: 0, count: 36)
    _ = memory.hold(0, sessions: sizes.count)
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for index in sizes.indices where memory.memoryPressure(for: sizes[index]) == nil {
        sizes[index] += 4096
        _ = memory.hold(4096)
        hasGrown = true
      }
    }
    #expect(memory.memoryPressure(for: quiet) == nil)
    #expect(memory.held < 80 << 20)
  }

  @Test(
    "A session is loaded only if it fits into the reserve together with all other sessions that are being loaded"
  )
  func reserved() {
    let memory = SessionMemory(limit: 1600)
    _ = memory.hold(1000, sessions: 1)
    #expect(memory.reserve(500))
    #expect(!memory.reserve(501))
    #expect(memory.reserve(500))
    memory.release(500)
    _ = memory.hold(500, sessions: 1)
    #expect(!memory.reserve(1))
    memory.release(500)
    #expect(memory.reserve(1))
  }

  @Test("Memory pressure is reported once; its end is reported only when memory is well below the limit")
  func edges() {
    let memory = SessionMemory(limit: 1600)
    #expect(memory.hold(1600, sessions: 1) == .same)
    #expect(memory.hold(1) == .crowded)
    #expect(memory.hold(100) == .same)
    // The memory falls to the limit, rises above the limit, and falls a little below the limit: no change is reported.
    #expect([-101, 1, -100].map { memory.hold($0) } == [.same, .same, .same])
    #expect(memory.held == 1501)
    #expect(memory.hold(-1) == .relieved)
    #expect([-500, 600].map { memory.hold($0) } == [.same, .same])
    #expect(memory.hold(1) == .crowded)
  }
}
