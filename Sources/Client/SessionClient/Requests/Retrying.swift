internal import Platform
internal import Primitives

/// How a request is made again that did not come through: at once, and then after pauses that double.
struct Retrying {
  private let patience: RequestPatience
  private let limit: Duration
  private var pause: Duration?
  private var lastProgress = MonotonicTime.now()

  /// - Parameters:
  ///   - patience: the pauses.
  ///   - limit: for how long to go on without progress.
  init(_ patience: RequestPatience, for limit: Duration) {
    self.patience = patience
    self.limit = limit
  }

  /// Something came of the last attempt: the next one is made at once.
  mutating func noteProgress() {
    pause = nil
    lastProgress = .now()
  }

  /// Waits before the next attempt.
  ///
  /// - Throws: the failure, when it is for good or the time is over; `cancelled`.
  mutating func wait(after failure: RequestFailure) async throws(RequestFailure) {
    let waited = MonotonicTime.now() - lastProgress
    guard failure.isTemporary, waited < limit else { throw failure }
    // Many who were cut together do not all come back together.
    let next = (pause ?? .zero) * Double.random(in: 0.75...1.25)
    pause = min(pause.map { $0 * 2 } ?? patience.firstPause, patience.longestPause)
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
