import Testing

/// The promises P1, P2, P3, P5 and P8, tested with random sessions.
@Suite("P1, P2, P3, P5, P8: the promises hold in simulated sessions")
struct SimulationTests {
  /// The seeds with which this test failed in the past. Each run tests them again.
  static let once: [UInt64] = []

  @Test(
    "P1, P2, P3, P5, P8: the promises hold in a session with random clients and connections",
    arguments: once + Array(1...300))
  func keepsPromises(seed: UInt64) throws {
    do {
      try Simulation(seed: seed).run(steps: 400)
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }

  /// The seeds with which this test failed in the past. Each run tests them again.
  static let onceOverCrashes: [UInt64] = []

  @Test(
    "P4: in a random session with crashes, stops, compactions and disk failures, no committed entry is lost",
    arguments: onceOverCrashes + Array(1...150))
  func outlives(seed: UInt64) throws {
    do {
      try Simulation(seed: seed, outlives: true).run(steps: 500)
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }
}
