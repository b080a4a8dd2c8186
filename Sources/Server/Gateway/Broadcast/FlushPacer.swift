internal import Primitives

/// Decides if the entries of a session are sent to its members at once, or after a short wait for more entries.
///
/// A delivery costs one call, for any number of entries. While the loop has time, entries are sent at once. On a busy loop, a
/// session that was flushed recently may collect entries for up to 16 ms, about the time between two frames on a screen. Waiting
/// is not worthwhile in two cases: people wait for each other, so no more entries come during the wait; or so many messages come
/// that enough of them arrive together anyway. The pacer finds out by trying both ways.
struct FlushPacer {
  /// The maximum time for which entries wait for others.
  static let longest = Duration.milliseconds(16)
  /// The load from which entries wait, and the load at which they wait longest.
  private static let someLoad = 0.3
  private static let fullLoad = 0.7
  /// Waiting is worthwhile if it multiplies the number of messages in a flush by this factor.
  private static let worthwhile = 1.5
  private static let tryAtOnceEvery = 64
  private static let longestPause = 4096

  /// The time of the last flush.
  private(set) var flushedAt = MonotonicTime.distantPast
  /// The time until which the session waits; nil if it does not wait.
  private(set) var heldUntil: MonotonicTime?
  /// Moving averages of the number of messages in a flush, without and with waiting.
  private var atOnce = 1.0
  private var afterWaiting = 2.0
  /// The number of flushes before the other way is tried, and that number after a try in which waiting was not worthwhile.
  private var untilTry = 0
  private var pause = 16

  /// Returns the maximum time for which entries wait at a load.
  static func interval(load: Double) -> Duration {
    longest * min(1, max(0, (load - someLoad) / (fullLoad - someLoad)))
  }

  private var isWorthIt: Bool { afterWaiting >= Self.worthwhile * atOnce }

  /// Decides whether the session is flushed now or later.
  ///
  /// - Parameters:
  ///   - interval: the minimum time between two flushes.
  ///   - isFixed: true if the interval applies even if waiting is not worthwhile.
  ///   - now: the time of the turn.
  /// - Returns: the time until which to wait; nil to flush now.
  mutating func waits(_ interval: Duration, isFixed: Bool = false, now: MonotonicTime) -> MonotonicTime? {
    if let heldUntil { return heldUntil > now ? heldUntil : nil }
    guard interval > .zero, flushedAt != .distantPast else { return nil }
    let until = flushedAt + interval
    guard until > now else { return nil }
    let isTry = untilTry <= 0
    guard isFixed || isWorthIt != isTry else { return nil }
    heldUntil = until
    return until
  }

  /// Counts a flush.
  mutating func flushed(messages: Int, now: MonotonicTime) {
    let wasWorthIt = isWorthIt
    if heldUntil != nil {
      afterWaiting += (Double(messages) - afterWaiting) / 4
    } else {
      atOnce += (Double(messages) - atOnce) / 4
    }
    heldUntil = nil
    flushedAt = now
    untilTry -= 1
    if isWorthIt {
      if !wasWorthIt || untilTry < 0 { untilTry = Self.tryAtOnceEvery }
      pause = 16
    } else if wasWorthIt || untilTry < 0 {
      untilTry = pause
      pause = min(2 * pause, Self.longestPause)
    }
  }
}
