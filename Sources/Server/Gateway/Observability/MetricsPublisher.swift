internal import Networking
internal import Primitives

/// Publishes the counters of a reactor on the `MetricsBoard`.
final class MetricsPublisher {
  /// The minimum time between two publications. A publication costs about 3,000 instructions, as much as five sends.
  private static let interval = Duration.milliseconds(20)

  private let board: MetricsBoard
  private let reactor: Int
  private let clock: LoopClock
  private let counters: ReactorCounters
  private var publishedAt = MonotonicTime.distantPast
  private var hasUnpublished = false

  init(_ board: MetricsBoard, reactor: Int, clock: LoopClock, counters: ReactorCounters) {
    self.board = board
    self.reactor = reactor
    self.clock = clock
    self.counters = counters
  }

  /// The time of the next publication; nil when no turn has ended since the last publication.
  var nextDeadline: MonotonicTime? { hasUnpublished ? publishedAt + Self.interval : nil }

  /// Records the beginning of a turn.
  func turnBegan() {
    counters.values.turns += 1
  }

  /// Records the duration of a turn, including the jobs before it.
  func countTurn(_ duration: Duration) {
    counters.values.turnTimes.count(duration)
  }

  /// Publishes the counters after a turn if the minimum time since the last publication has passed.
  ///
  /// - Parameter isDraining: true to publish in any case, because this turn may be the last one.
  func turnEnded(isDraining: Bool) {
    hasUnpublished = true
    if isDraining || publishedAt + Self.interval <= clock.now { publish() }
  }

  /// Publishes the counters immediately.
  func publish() {
    publishedAt = clock.now
    hasUnpublished = false
    board.publish(counters.values, reactor: reactor)
  }
}
