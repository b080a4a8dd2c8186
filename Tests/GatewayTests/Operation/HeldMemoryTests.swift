import Testing
import Wire

@testable import Gateway

/// What all sessions together hold, and who may add to it.
@Suite("Memory of all sessions")
struct HeldMemoryTests {
  @Test("Beyond the limit who holds more than an equal part must not grow; beyond a quarter more, nobody")
  func parts() {
    let memory = HeldMemory(limit: 1600)
    _ = memory.hold(1200, sessions: 1)
    _ = memory.hold(400, sessions: 1)
    #expect(memory.crowding(for: 1200) == nil)
    _ = memory.hold(1)
    #expect(memory.crowding(for: 1201) == 1601)
    #expect(memory.crowding(for: 400) == nil)
    _ = memory.hold(399)
    #expect(memory.held == 2000)
    #expect(memory.crowding(for: 400) == nil)
    _ = memory.hold(1)
    #expect(memory.crowding(for: 400) == 2001)
    _ = memory.hold(-1201, sessions: -1)
    #expect(memory.crowding(for: 800) == nil)
  }

  @Test(
    "A session is read from the disk only where it has room within a quarter more, beside others that are being read"
  )
  func reserved() {
    let memory = HeldMemory(limit: 1600)
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

  @Test("That it is crowded is told once, and that it is not when there is room for more than an entry")
  func edges() {
    let memory = HeldMemory(limit: 1600)
    #expect(memory.hold(1600, sessions: 1) == .same)
    #expect(memory.hold(1) == .crowded)
    #expect(memory.hold(100) == .same)
    // Back to the limit, over it and back: nothing new.
    #expect([-101, 1, -100].map { memory.hold($0) } == [.same, .same, .same])
    #expect(memory.held == 1501)
    #expect(memory.hold(-1) == .roomy)
    #expect([-500, 600].map { memory.hold($0) } == [.same, .same])
    #expect(memory.hold(1) == .crowded)
  }
}
