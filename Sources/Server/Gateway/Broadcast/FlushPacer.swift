internal import Primitives

/// Decides if the entries of a session are sent to its members immediately, or after a short wait for more entries.
///
/// Sending to a member costs one system call, for any number of entries. While the loop has a low load, entries are sent
/// immediately. On a busy loop, a session that was flushed recently may collect entries for up to 16 ms, about the time between
/// two frames on a screen. Waiting is not worthwhile in two cases. In the first case, no more entries arrive during the wait,
/// because the participants wait for each other. In the second case, messages arrive so fast that enough of them are sent
/// together anyway. The pacer compares the number of messages per flush with and without waiting. From time to time, it tries the
/// alternative to its present choice.
struct FlushPacer {
  /// The maximum time for which entries wait for more entries.
  static let longest = Duration.milliseconds(16)
  /// If the load of the event loop is above this value, entries wait for more entries before they are sent.
  private static let someLoad = 0.7
  /// The load of the loop at which entries wait for the maximum time.
  private static let fullLoad = 0.95
  /// The minimum factor by which waiting must increase the number of messages in a flush to be worthwhile.
  private static let worthwhile = 1.5
  /// The number of flushes between two trial flushes without a wait, as long as waiting is worthwhile.
  private static let tryAtOnceEvery = 64
  /// The maximum number of flushes between two trial flushes with a wait, as long as waiting is not worthwhile.
  private static let longestPause = 4096

  /// The time of the last flush.
  private(set) var flushedAt = MonotonicTime.distantPast
  /// The time until which the entries of the session wait; nil if no entries wait.
  private(set) var heldUntil: MonotonicTime?
  /// The moving average of the number of messages in a flush that was not delayed.
  private var atOnce = 1.0
  /// The moving average of the number of messages in a delayed flush.
  private var afterWaiting = 2.0
  /// The number of flushes before the pacer tries the alternative to its present choice. If waiting is worthwhile, the pacer
  /// tries one flush without waiting. Otherwise, it tries one flush after waiting.
  private var untilTry = 0
  /// The number of flushes between two trial flushes with a wait, as long as waiting is not worthwhile. Each unsuccessful trial
  /// doubles this number, up to `longestPause`.
  private var pause = 16

  /// Returns the maximum time for which entries wait at a given load of the loop.
  static func interval(load: Double) -> Duration {
    guard load > someLoad else { return .zero }
    let part = min(1, (load - someLoad) / (fullLoad - someLoad))
    return .nanoseconds(Int64(Double(longest.wholeNanoseconds) * part))
  }

  private var isWorthIt: Bool { afterWaiting >= Self.worthwhile * atOnce }

  /// Decides whether the session is flushed now or later.
  ///
  /// - Parameters:
  ///   - interval: the minimum time between two flushes.
  ///   - isFixed: true to apply the interval even when waiting is not worthwhile.
  ///   - now: the time of the turn.
  /// - Returns: the time until which to wait; nil to flush now.
  mutating func waits(_ interval: Duration, isFixed: Bool = false, now: MonotonicTime) -> MonotonicTime? {
    if let heldUntil { return heldUntil > now ? heldUntil : nil }
    // `interval > .zero` would take longer, because a `Duration` has 128 bits.
    guard interval.wholeNanoseconds > 0, flushedAt != .distantPast else { return nil }
    let until = flushedAt + interval
    guard until > now else { return nil }
    let isTry = untilTry <= 0
    guard isFixed || isWorthIt != isTry else { return nil }
    heldUntil = until
    return until
  }

  /// Records a flush.
  ///
  /// - Parameters:
  ///   - messages: the number of messages that arrived since the previous flush.
  ///   - now: the time of the flush.
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
