import Testing

/// The promises P1, P2, P3, P5 and P8, tested with random sessions.
@Suite("P1, P2, P3, P5, P8: simulated sessions")
struct SimulationTests {
  /// Seeds that failed once, and are tested again.
  static let once: [UInt64] = []

  @Test(
    "P1, P2, P3, P5, P8: a session with random clients and connections keeps its promises",
    arguments: once + Array(1...300))
  func keepsPromises(seed: UInt64) throws {
    do {
      try Simulation(seed: seed).run(steps: 400)
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }

  /// Seeds that failed once, and are tested again.
  static let onceOverCrashes: [UInt64] = []

  @Test(
    "P4: a session with crashes, stops, compactions and disk failures keeps its promises",
    arguments: onceOverCrashes + Array(1...150))
  func outlives(seed: UInt64) throws {
    do {
      try Simulation(seed: seed, outlives: true).run(steps: 500)
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }
}
