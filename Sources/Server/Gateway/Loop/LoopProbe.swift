internal import Primitives
internal import Synchronization

/// A probe of one event loop: another thread sends a question, and the loop answers in its next turn.
final class LoopProbe: Sendable {
  /// The time of the oldest unanswered question; 0 when all questions are answered.
  private let askedAt = Atomic<Int64>(0)
  /// True when a question was not sent, because the loop's mailbox was full.
  private let isUnsent = Atomic(false)

  /// Sends a question unless one is unanswered. A question that could not be sent is sent again by the next call. If the mailbox
  /// is still full then, the loop hangs, and the time of the first question counts.
  ///
  /// - Parameters:
  ///   - now: the present time.
  ///   - send: sends the question; returns false when the mailbox is full.
  /// - Returns: the time of the oldest question that is unanswered; nil when there was none before this call.
  func ask(at now: MonotonicTime, send: () -> Bool) -> MonotonicTime? {
    let (isNew, since) = askedAt.compareExchange(
      expected: 0, desired: now.nanoseconds, ordering: .acquiringAndReleasing)
    guard !isNew else {
      if !send() { isUnsent.store(true, ordering: .releasing) }
      return nil
    }
    guard isUnsent.exchange(false, ordering: .acquiringAndReleasing) else {
      return MonotonicTime(nanoseconds: since)
    }
    // The time is stored before the question is sent, because the answer must find the new time.
    askedAt.store(now.nanoseconds, ordering: .releasing)
    if send() { return nil }
    askedAt.store(since, ordering: .releasing)
    isUnsent.store(true, ordering: .releasing)
    return MonotonicTime(nanoseconds: since)
  }

  /// Answers all questions. Called by the loop in a turn.
  func answer() {
    askedAt.store(0, ordering: .releasing)
  }
}
