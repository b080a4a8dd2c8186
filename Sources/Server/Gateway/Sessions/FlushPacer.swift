internal import Primitives

/// Decides whether what was said in a session goes to its members at once, or waits a little for more to go with it.
///
/// What a delivery costs is the call, however many entries are in it. While the loop has time, everything goes at once. When it
/// has little, a session that was sent a moment ago collects for up to 16 ms, about the time between two pictures on a
/// screen, if that is worth it: where people wait for each other, nothing more would come meanwhile, and where much is said,
/// enough comes together by itself. Both are learnt by trying.
struct FlushPacer {
  /// The longest that entries wait for others.
  static let longest = Duration.milliseconds(16)
  /// From this load on, entries wait; at the other one, they wait as long as they may.
  private static let someLoad = 0.3
  private static let fullLoad = 0.7
  /// Waiting is worth it if so many times more messages go out together.
  private static let worthwhile = 1.5
  private static let tryAtOnceEvery = 64
  private static let longestPause = 4096

  /// When the session's turn was ended last.
  private(set) var flushedAt = MonotonicTime.distantPast
  /// Until when it waits, if it does.
  private(set) var heldUntil: MonotonicTime?
  /// Messages in a flush, without and with waiting: moving averages.
  private var atOnce = 1.0
  private var afterWaiting = 2.0
  /// Flushes until the other way is tried, and how many there are to be the next time where waiting was not worth it.
  private var untilTry = 0
  private var pause = 16

  /// How long entries may wait at such a load.
  static func interval(load: Double) -> Duration {
    longest * min(1, max(0, (load - someLoad) / (fullLoad - someLoad)))
  }

  private var isWorthIt: Bool { afterWaiting >= Self.worthwhile * atOnce }

  /// Says whether the session's turn is ended now or later.
  ///
  /// - Parameters:
  ///   - interval: the least time between two flushes.
  ///   - isFixed: it is kept whether waiting is worth it or not.
  ///   - now: the moment of the turn.
  /// - Returns: until when to wait; nil: now is the time.
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

  /// The session's turn is ended now, with so many messages in it.
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
