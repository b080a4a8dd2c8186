import Testing

/// Everything that was sent is told to everybody else once and in order, whatever happens between.
@Suite("A participant's harness, simulated")
struct SessionSimulationTests {
  /// Seeds that once showed a fault.
  static let once: [UInt64] = [44, 70, 183, 237, 1071]

  @Test("sockets break, and what was missed comes as a tail", arguments: once + Array(1...12))
  func overCuts(seed: UInt64) {
    run(seed, SessionSimulation.Weather())
  }

  @Test("there is too little of a tail: a snapshot comes", arguments: once + Array(1...12))
  func overSnapshots(seed: UInt64) {
    run(seed, SessionSimulation.Weather(forgetsTail: true))
  }

  @Test("the gateway breaks, stops, and comes back with what was on disk", arguments: once + Array(1...12))
  func overCrashes(seed: UInt64) {
    run(seed, SessionSimulation.Weather(crashes: true, forgetsTail: seed.isMultiple(of: 2)))
  }

  @Test("the rate is low, or there is no room for a while", arguments: once + Array(1...12))
  func overRefusals(seed: UInt64) {
    run(
      seed,
      SessionSimulation.Weather(
        crashes: seed.isMultiple(of: 3), isSlow: seed.isMultiple(of: 2), isFull: !seed.isMultiple(of: 4)))
  }

  @Test("programs take nothing for a while, and lag behind", arguments: once + Array(1...12))
  func overPauses(seed: UInt64) {
    run(
      seed,
      SessionSimulation.Weather(
        crashes: seed.isMultiple(of: 3), forgetsTail: !seed.isMultiple(of: 4), isSlow: seed.isMultiple(of: 5),
        pauses: true))
  }

  @Test("messages are large", arguments: Array(1...3))
  func withMuch(seed: UInt64) {
    run(seed, SessionSimulation.Weather(isHeavy: true))
  }

  private func run(_ seed: UInt64, _ weather: SessionSimulation.Weather) {
    do {
      try SessionSimulation(seed: seed, weather: weather).run(steps: 400)
    } catch {
      Issue.record("seed \(seed), \(weather): \(error)")
    }
  }
}
