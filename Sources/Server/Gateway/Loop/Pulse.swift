internal import Synchronization
internal import Primitives

/// Whether a reactor lives: somebody asks, and its next turn answers.
final class Pulse: Sendable {
  /// How long an answer may take. Turns take milliseconds; more than this is not a matter of load.
  static let patience = Duration.seconds(10)

  /// When it was asked and has not answered; 0 when it has.
  private let asked = Atomic<Int64>(0)
  /// The question did not reach it: there was no room.
  private let isLost = Atomic(false)

  /// Asks, unless it was asked already. A question that could not be put is put again by the next who asks: who lives
  /// answers then, and who hangs, so that his mailbox is full, has owed an answer since the first one.
  ///
  /// - Parameters:
  ///   - now: the present moment, after the machine's start.
  ///   - put: puts the question; false when there is no room for it.
  /// - Returns: since when it owes an answer; nil when it did not, or had not been asked.
  func ask(_ now: MonotonicTime, by put: () -> Bool) -> MonotonicTime? {
    let (isNew, since) = asked.compareExchange(
      expected: 0, desired: now.nanoseconds, ordering: .acquiringAndReleasing)
    guard !isNew else {
      if !put() { isLost.store(true, ordering: .releasing) }
      return nil
    }
    guard isLost.exchange(false, ordering: .acquiringAndReleasing) else {
      return MonotonicTime(nanoseconds: since)
    }
    // Before the question is put: the answer to it has to find it.
    asked.store(now.nanoseconds, ordering: .releasing)
    if put() { return nil }
    asked.store(since, ordering: .releasing)
    isLost.store(true, ordering: .releasing)
    return MonotonicTime(nanoseconds: since)
  }

  /// It has taken a turn.
  func answer() {
    asked.store(0, ordering: .releasing)
  }
}
