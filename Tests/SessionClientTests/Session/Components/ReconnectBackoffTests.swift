import Primitives
import TestSupport
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

  /// The content of `Tests/Vectors/backoff.json`.
  struct BackoffVectors: Decodable, Sendable {
    struct Growth: Decodable, Sendable {
      let attempt: Int
      let leastMs: Int
      let mostMs: Int
    }

    struct Step: Decodable, Sendable {
      let works: Bool?
      let passMs: Int?
      let lost: Bool?
      let unreachable: Bool?
      let askedMs: Int?
      let delayMs: Int?
    }

    struct Script: Decodable, Sendable, CustomTestStringConvertible {
      let name: String
      let steps: [Step]

      var testDescription: String { name }
    }

    static let file: BackoffVectors = Vectors.load("backoff")

    let stableMs: Int
    let growth: [Growth]
    let scripts: [Script]
  }

  @Test(
    "Each attempt is delayed by a random time within its range, whose bounds grow up to 10 s",
    arguments: 0..<16)
  func grows(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var backoff = ReconnectBackoff()
    for attempt in 0...50 {
      let delay = backoff.schedule(after: .zero, now: start, using: &generator)
      guard let range = BackoffVectors.file.growth.first(where: { $0.attempt == attempt }) else { continue }
      #expect(delay >= .milliseconds(range.leastMs) && delay <= .milliseconds(range.mostMs))
    }
  }

  @Test(
    "The delays of a sequence of connections are those of the vectors", arguments: BackoffVectors.file.scripts
  )
  func vectors(_ script: BackoffVectors.Script) {
    var generator = SessionHarness.MidpointGenerator()
    var backoff = ReconnectBackoff(stableAfter: .milliseconds(BackoffVectors.file.stableMs))
    var now = start
    for (index, step) in script.steps.enumerated() {
      now = now + .milliseconds(step.passMs ?? 0)
      if step.works == true { backoff.recordSuccess(now: now) }
      guard step.lost == true else { continue }
      backoff.recordLoss(now: now)
      let delay = backoff.schedule(
        after: .milliseconds(step.askedMs ?? 0), isReachable: step.unreachable != true, now: now,
        using: &generator)
      #expect(delay == step.delayMs.map { .milliseconds($0) }, "step \(index)")
      now = now + delay
    }
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
