import Primitives
import Testing

@testable import SessionClient

@Suite("ReconnectBackoff determines how long a client waits before it reconnects")
struct ReconnectBackoffTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  /// A backoff whose random jitter is always the midpoint of its range.
  private final class Attempts {
    var backoff = ReconnectBackoff(stableAfter: .seconds(5))
    private var generator = SessionHarness.MidpointGenerator()

    func delays(_ count: Int, after wanted: Duration = .zero, now: MonotonicTime) -> [Duration] {
      (0..<count).map { _ in backoff.schedule(after: wanted, now: now, using: &generator) }
    }

    func expedite(now: MonotonicTime) -> Duration? { backoff.expedite(now: now) }
  }

  @Test("The first reconnect attempt is immediate; later attempts are delayed by up to 10 s")
  func grows() {
    let attempts = Attempts()
    let expected = [0, 75, 150, 300, 600, 1200, 2400, 4800, 7500, 7500]
    #expect(attempts.delays(10, now: start) == expected.map { .milliseconds($0) })
  }

  @Test("The client reconnects immediately, unless the last two sockets were both short-lived")
  func stability() {
    let attempts = Attempts()
    var now = start
    for index in 0..<3 {
      #expect(!attempts.backoff.isShortLived)
      _ = attempts.delays(3, now: now)
      attempts.backoff.recordSuccess(now: now)
      now = now + .seconds(1)
      attempts.backoff.recordLoss(now: now)
      #expect((attempts.delays(1, now: now) == [.zero]) == (index == 0))
    }
    #expect(attempts.backoff.isShortLived)
    attempts.backoff.recordSuccess(now: now)
    attempts.backoff.recordLoss(now: now + .seconds(5))
    #expect(!attempts.backoff.isShortLived)
    #expect(attempts.delays(1, now: now) == [.zero])
  }

  @Test("`expedite` moves a scheduled reconnect attempt to the earliest time that the gateway allows")
  func expedite() {
    let attempts = Attempts()
    #expect(attempts.expedite(now: start) == nil, "nothing is scheduled")
    _ = attempts.delays(6, now: start)
    #expect(attempts.expedite(now: start + .milliseconds(1)) == .zero)
    #expect(attempts.expedite(now: start + .milliseconds(1)) == nil)
    #expect(attempts.delays(1, after: .seconds(2), now: start)[0] > .seconds(2))
    #expect(attempts.expedite(now: start) == .seconds(2))
  }

  @Test("A protocol error delays the next attempt; two protocol errors within 60 s set `hasRepeatedFaults`")
  func faults() {
    let attempts = Attempts()
    attempts.backoff.recordFault(now: start)
    #expect(!attempts.backoff.hasRepeatedFaults)
    #expect(attempts.delays(1, now: start)[0] > .milliseconds(100))
    attempts.backoff.recordFault(now: start + .seconds(60))
    #expect(attempts.backoff.hasRepeatedFaults)
    attempts.backoff.recordFault(now: start + .seconds(121))
    #expect(!attempts.backoff.hasRepeatedFaults)
  }
}
