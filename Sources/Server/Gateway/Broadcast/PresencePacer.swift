internal import SessionCore
internal import Primitives

/// Decides when the announcements of joins and leaves are sent to members at the tail.
///
/// If a thousand people join at the same time, and each announcement is sent immediately, half a million sends are necessary. For
/// this reason, only rare announcements are sent immediately. Frequent announcements are sent after an interval or together with
/// the next entry. While they wait, they are in the log, in their usual order.
struct PresencePacer {
  /// The minimum time between two flushes that contain only announcements.
  static let interval = Duration.milliseconds(50)

  private var announcedAt = MonotonicTime.distantPast
  /// The time at which waiting announcements are sent; nil if no announcements wait.
  private(set) var due: MonotonicTime?

  /// Decides at the end of a session's turn which members are flushed.
  ///
  /// - Returns: true to send the turn's entries also to members at the tail; false to send only to members that are catching up
  ///   or have pending output that only they get.
  mutating func includesCaughtUp(_ content: TurnContent, now: MonotonicTime) -> Bool {
    let next = announcedAt + Self.interval
    switch content {
    case .entries(let withPresence):
      if withPresence || due != nil { announcedAt = now }
    case .presence where next > now, .nothing where due != nil && next > now:
      due = next
      return false
    case .presence:
      announcedAt = now
    case .nothing:
      if due != nil { announcedAt = now }
    }
    due = nil
    return true
  }
}
