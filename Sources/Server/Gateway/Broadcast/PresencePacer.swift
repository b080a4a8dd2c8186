internal import SessionCore
internal import Primitives

/// Decides when the announcements of joins and leaves are sent to members at the tail.
///
/// If a thousand people join at once, sending each announcement at once would take half a million sends. So rare announcements
/// are sent at once, and frequent ones after an interval or with the next entry. Until then they are in the log, in their usual
/// order.
struct PresencePacer {
  /// The minimum time between two flushes of announcements without other entries.
  static let interval = Duration.milliseconds(50)

  private var announcedAt = MonotonicTime.distantPast
  /// The time of the next announcements; nil if none wait.
  private(set) var due: MonotonicTime?

  /// Decides at the end of a turn if its entries are sent to all members at the tail, or only to new members.
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
