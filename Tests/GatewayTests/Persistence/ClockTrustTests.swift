import Testing
import Platform
import Primitives

@testable import Gateway

@Suite("The wall clock is trusted only after a waiting time without steps of the clock")
struct ClockTrustTests {
  private static let start: Int64 = 1_800_000_000

  /// Returns a reading of the clocks some seconds after the start. The wall clock is wrong by the given number of
  /// seconds.
  private static func reading(_ seconds: Int64, error: Int64 = 0, synchronised: Bool) -> ClockReading {
    ClockReading(
      monotonic: MonotonicTime(nanoseconds: 1_000_000_000 * (500 + seconds)),
      wall: WallTime(secondsSince1970: start + seconds + error), isSynchronised: synchronised)
  }

  private static func trust(synchronised: Bool, delay: Int64 = 3600) -> ClockTrust {
    ClockTrust(
      delay: .seconds(delay), unsynchronisedDelay: .seconds(24 * delay),
      at: reading(0, synchronised: synchronised))
  }

  private static func begins(_ trust: ClockTrust) -> Int64 {
    trust.begins.nanoseconds / 1_000_000_000 - 500
  }

  @Test("A synchronised clock is trusted after an hour of uptime, and any other clock after a day")
  func delays() {
    #expect(Self.begins(Self.trust(synchronised: true)) == 3600)
    #expect(Self.begins(Self.trust(synchronised: false)) == 86_400)
    #expect(Self.begins(Self.trust(synchronised: false, delay: 0)) == 0)
  }

  @Test(
    "A clock is trusted an hour after it was synchronised; the hour starts again if the synchronisation was interrupted"
  )
  func synchronisation() {
    var trust = Self.trust(synchronised: false)
    trust.observe(Self.reading(600, synchronised: true))
    trust.observe(Self.reading(3000, synchronised: true))
    #expect(Self.begins(trust) == 4200)
    trust.observe(Self.reading(3500, synchronised: false))
    #expect(Self.begins(trust) == 86_400)
    trust.observe(Self.reading(3600, synchronised: true))
    #expect(Self.begins(trust) == 7200)
  }

  @Test(
    "If the wall clock is stepped, the waiting time until the clock is trusted starts again",
    arguments: [-60, 60, 400 * 86_400, -400 * 86_400] as [Int64])
  func steps(_ error: Int64) {
    for isSynchronised in [true, false] {
      var trust = Self.trust(synchronised: isSynchronised)
      trust.observe(Self.reading(100_000, synchronised: isSynchronised))
      #expect(Self.begins(trust) <= 100_000)
      trust.observe(Self.reading(100_001, error: error, synchronised: isSynchronised))
      #expect(Self.begins(trust) == 100_001 + (isSynchronised ? 3600 : 86_400))
    }
  }

  @Test("A slow adjustment of the clock does not count as a step")
  func slewing() {
    var trust = Self.trust(synchronised: true)
    for second in 1...4000 as ClosedRange<Int64> {
      trust.observe(Self.reading(second, error: second / 100, synchronised: true))
    }
    #expect(Self.begins(trust) == 3600)
  }
}
