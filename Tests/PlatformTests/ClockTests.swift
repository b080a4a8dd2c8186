import Testing
import Platform
import Primitives

@Suite("The monotonic clock and the wall clock")
struct ClockTests {
  @Test("Adding a duration to a time drops fractions of a nanosecond")
  func arithmetic() {
    let time = MonotonicTime(nanoseconds: 5_000_000_000)
    #expect((time + .milliseconds(1500)).nanoseconds == 6_500_000_000)
    #expect((time - .seconds(6)).nanoseconds == -1_000_000_000)
    #expect((time + .zero) == time)
    #expect((time + .seconds(2)) - time == .seconds(2))
    #expect(time - (time + .nanoseconds(1)) == .nanoseconds(-1))
    #expect(time < time + .nanoseconds(1))
    #expect(MonotonicTime.distantPast < MonotonicTime.now())
    #expect(MonotonicTime.now() < .distantFuture)
    #expect(time.adding(milliseconds: 1500) == time + .milliseconds(1500))
    #expect(time.adding(seconds: -6) == time - .seconds(6))
    #expect(time.seconds(since: time.adding(milliseconds: 1500)) == -1.5)
  }

  @Test("The monotonic clock never goes back")
  func monotonic() {
    var last = MonotonicTime.now()
    for _ in 0..<1000 {
      let now = MonotonicTime.now()
      #expect(now >= last)
      last = now
    }
  }

  @Test(
    "A time in whole seconds is rounded down, even before 1970",
    arguments: [(0, 0), (999_999_999, 0), (1_000_000_000, 1), (-1, -1), (-1_000_000_000, -1)]
      as [(Int64, Int64)])
  func seconds(nanoseconds: Int64, seconds: Int64) {
    #expect(WallTime(nanosecondsSince1970: nanoseconds).secondsSince1970 == seconds)
  }

  @Test("The wall clock shows a time after November 14, 2023")
  func wall() {
    #expect(WallTime.now() > WallTime(secondsSince1970: 1_700_000_000))
  }
}
