import Testing

/// Every message is reported to every other participant once and in order, under any conditions.
@Suite("In simulated sessions, each message arrives once and in order")
struct SessionSimulationTests {
  /// Seeds that revealed faults in earlier versions.
  static let once: [UInt64] = [44, 70, 183, 237, 1071]

  @Test(
    "If connections break and tails contain the missed entries, each message arrives once and in order",
    arguments: once + Array(1...12))
  func overCuts(seed: UInt64) {
    run(seed, SessionSimulation.Conditions())
  }

  @Test(
    "If tails are too short and snapshots are sent, each message arrives once and in order",
    arguments: once + Array(1...12))
  func overSnapshots(seed: UInt64) {
    run(seed, SessionSimulation.Conditions(hasShortTail: true))
  }

  @Test(
    "If the gateway crashes or stops and restarts from its disk, each message arrives once and in order",
    arguments: once + Array(1...12))
  func overCrashes(seed: UInt64) {
    run(seed, SessionSimulation.Conditions(crashes: true, hasShortTail: seed.isMultiple(of: 2)))
  }

  @Test(
    "If the rate limit is low or space runs out, each message arrives once and in order",
    arguments: once + Array(1...12))
  func overRefusals(seed: UInt64) {
    run(
      seed,
      SessionSimulation.Conditions(
        crashes: seed.isMultiple(of: 3), hasLowRate: seed.isMultiple(of: 2),
        runsOutOfSpace: !seed.isMultiple(of: 4)))
  }

  @Test(
    "If applications pause reading and lag behind, each message arrives once and in order",
    arguments: once + Array(1...12))
  func overPauses(seed: UInt64) {
    run(
      seed,
      SessionSimulation.Conditions(
        crashes: seed.isMultiple(of: 3), hasShortTail: !seed.isMultiple(of: 4),
        hasLowRate: seed.isMultiple(of: 5),
        pausesReading: true))
  }

  @Test("If messages are large, each message arrives once and in order", arguments: Array(1...3))
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
