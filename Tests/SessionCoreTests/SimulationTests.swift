import Testing

/// P1, P2, P3, P5 and P8 over sessions made by chance.
@Suite("P1, P2, P3, P5, P8: simulated sessions")
struct SimulationTests {
  /// Seeds that once showed a fault.
  static let once: [UInt64] = []

  @Test("a session of a seed keeps its promises", arguments: once + Array(1...300))
  func keepsPromises(seed: UInt64) throws {
    do {
      try Simulation(seed: seed).run(steps: 400)
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }
}
