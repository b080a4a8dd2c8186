internal import Primitives
internal import Synchronization

/// A detector of a hanging event loop: another thread sends a probe to the loop, and the loop answers the probe in its next turn.
final class LoopProbe: Sendable {
  /// The time of the oldest unanswered probe; 0 when all probes are answered.
  private let askedAt = Atomic<Int64>(0)
  /// True when the last probe could not be sent, because the loop's mailbox was full.
  private let isUnsent = Atomic(false)

  /// Sends a probe, unless an earlier probe is unanswered. If a probe could not be sent because the mailbox was full, the next
  /// call tries again. If the mailbox is still full, the time of the first attempt is returned, because the loop may hang.
  ///
  /// - Parameters:
  ///   - now: the present time.
  ///   - send: sends the probe; returns false when the mailbox is full.
  /// - Returns: the time of the oldest unanswered probe. Nil if all probes were answered before this call, or if this call sends
  ///   a probe that an earlier call could not send.
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
    // The time is stored before the probe is sent. Otherwise the loop could answer before the time is stored, and the probe would
    // look unanswered.
    askedAt.store(now.nanoseconds, ordering: .releasing)
    if send() { return nil }
    askedAt.store(since, ordering: .releasing)
    isUnsent.store(true, ordering: .releasing)
    return MonotonicTime(nanoseconds: since)
  }

  /// Answers all probes. The loop calls this function in a turn.
  func answer() {
    askedAt.store(0, ordering: .releasing)
  }
}
