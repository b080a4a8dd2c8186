internal import Platform
internal import Primitives

/// How a request is made again that did not come through: at once, and then after pauses that double.
struct RetryPolicy {
  private let timeouts: RequestTimeouts
  private let limit: Duration
  private var delay: Duration?
  private var lastProgress = MonotonicTime.now()

  /// - Parameters:
  ///   - timeouts: the pauses.
  ///   - limit: for how long to go on without progress.
  init(_ timeouts: RequestTimeouts, for limit: Duration) {
    self.timeouts = timeouts
    self.limit = limit
  }

  /// Something came of the last attempt: the next one is made at once.
  mutating func recordProgress() {
    delay = nil
    lastProgress = .now()
  }

  /// Waits before the next attempt.
  ///
  /// - Throws: the failure, when it is for good or the time is over; `cancelled`.
  mutating func wait(after failure: SessionClientError) async throws(SessionClientError) {
    let waited = MonotonicTime.now() - lastProgress
    guard failure.isTemporary, waited < limit else { throw failure }
    // Many who were cut together do not all come back together.
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
