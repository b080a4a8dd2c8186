internal import Synchronization
internal import Transport

/// Whether a reactor lives: somebody asks, and its next turn answers.
final class Pulse: Sendable {
  /// How long an answer may take. Turns take milliseconds; more than this is not a matter of load.
  static let patience = Duration.seconds(10)

  /// When it was asked and has not answered; 0 when it has.
  private let asked = Atomic<Int64>(0)

  /// Asks, unless it was asked already.
  ///
  /// - Parameter now: the present moment, after the machine's start.
  /// - Returns: since when it owes an answer; nil when it did not, and is to be asked now.
  func ask(_ now: MonotonicTime) -> MonotonicTime? {
    let (isNew, since) = asked.compareExchange(
      expected: 0, desired: now.nanoseconds, ordering: .acquiringAndReleasing)
    return isNew ? nil : MonotonicTime(nanoseconds: since)
  }

  /// It has taken a turn.
  func answer() {
    asked.store(0, ordering: .releasing)
  }
}
