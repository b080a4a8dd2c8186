internal import Platform
internal import Primitives

/// The schedule of repeated attempts. The first repetition is immediate, and the second waits for `firstRetryDelay`. Each later
/// delay is twice the previous one, up to `maximumRetryDelay`.
struct RetryPolicy {
  private let timeouts: RequestTimeouts
  private let limit: Duration
  private var delay: Duration?
  private var lastProgress = MonotonicTime.now()

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - timeouts: the delays.
  ///   - limit: the time for which failed attempts are repeated without progress.
  init(_ timeouts: RequestTimeouts, for limit: Duration) {
    self.timeouts = timeouts
    self.limit = limit
  }

  /// Records that the last attempt made progress. The next attempt is immediate.
  mutating func recordProgress() {
    delay = nil
    lastProgress = .now()
  }

  /// Waits before the next attempt.
  ///
  /// - Throws: `failure`, if it is permanent or the time limit has passed; `cancelled`.
  mutating func wait(after failure: SessionClientError) async throws(SessionClientError) {
    let waited = MonotonicTime.now() - lastProgress
    guard failure.isTemporary, waited < limit else { throw failure }
    // Jitter distributes the attempts of clients that lost their connections at the same time.
    let next = (delay ?? .zero) * Double.random(in: 0.75...1.25)
    delay = min(delay.map { $0 * 2 } ?? timeouts.firstRetryDelay, timeouts.maximumRetryDelay)
    let rest = min(max(next, failure.retryAfter ?? .zero), max(limit - waited, .zero))
    guard rest > .zero else {
      if Task.isCancelled { throw .cancelled }
      return
    }
    do {
      try await Task.sleep(for: rest)
    } catch {
      throw .cancelled
    }
  }
}
