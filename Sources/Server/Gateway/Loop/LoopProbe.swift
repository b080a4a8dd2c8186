internal import Primitives
internal import Synchronization

/// A probe that shows if an event loop hangs: another thread sends a question, and the loop answers in its next turn.
final class LoopProbe: Sendable {
  /// The time of the oldest unanswered question; 0 when all questions are answered.
  private let askedAt = Atomic<Int64>(0)
  /// True when the last question could not be sent, because the loop's mailbox was full.
  private let isUnsent = Atomic(false)

  /// Sends a question, unless an earlier question is unanswered. If a question could not be sent because the mailbox was full,
  /// the next call tries to send a question again. If the mailbox is still full, the time of the first question is returned,
  /// because the loop may hang.
  ///
  /// - Parameters:
  ///   - now: the present time.
  ///   - send: sends the question; returns false when the mailbox is full.
  /// - Returns: the time of the oldest unanswered question. Nil if all questions were answered before this call, or if this call
  ///   sends a question that an earlier call could not send.
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
    // The time is stored before the question is sent. Otherwise the loop could answer before the time is stored, and the question
    // would look unanswered.
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
