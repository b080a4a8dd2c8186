import Testing

/// Every message is reported to every other participant once and in order, under any conditions.
@Suite("Simulated sessions")
struct SessionSimulationTests {
  /// Seeds that once showed a fault.
  static let once: [UInt64] = [44, 70, 183, 237, 1071]

  @Test("Connections break, and tails contain the missed entries", arguments: once + Array(1...12))
  func overCuts(seed: UInt64) {
    run(seed, SessionSimulation.Conditions())
  }

  @Test("Tails are too short, so snapshots are sent", arguments: once + Array(1...12))
  func overSnapshots(seed: UInt64) {
    run(seed, SessionSimulation.Conditions(hasShortTail: true))
  }

  @Test(
    "The gateway crashes or stops, and returns with the entries on its disk", arguments: once + Array(1...12))
  func overCrashes(seed: UInt64) {
    run(seed, SessionSimulation.Conditions(crashes: true, hasShortTail: seed.isMultiple(of: 2)))
  }

  @Test("The rate limit is low, or there is no space for a while", arguments: once + Array(1...12))
  func overRefusals(seed: UInt64) {
    run(
      seed,
      SessionSimulation.Conditions(
        crashes: seed.isMultiple(of: 3), hasLowRate: seed.isMultiple(of: 2),
        runsOutOfSpace: !seed.isMultiple(of: 4)))
  }

  @Test("Programs pause reading, and lag behind", arguments: once + Array(1...12))
  func overPauses(seed: UInt64) {
    run(
      seed,
      SessionSimulation.Conditions(
        crashes: seed.isMultiple(of: 3), hasShortTail: !seed.isMultiple(of: 4),
        hasLowRate: seed.isMultiple(of: 5),
        pausesReading: true))
  }

  @Test("Messages are large", arguments: Array(1...3))
  func withMuch(seed: UInt64) {
    run(seed, SessionSimulation.Conditions(hasLargeMessages: true))
  }

  private func run(_ seed: UInt64, _ conditions: SessionSimulation.Conditions) {
    do {
      try SessionSimulation(seed: seed, conditions: conditions).run(steps: 400)
    } catch {
      Issue.record("seed \(seed), \(conditions): \(error)")
    }
  }
}
