internal import SessionCore
internal import Primitives

/// Decides when those who are at the tail are told who came and went.
///
/// Of a thousand who come at once each would be told, turn by turn, of all who came behind it: half a million sends. So that
/// is told at once where it is rare; else so often, or with the next entry. It waits in the log, in its place.
struct PresencePacer {
  static let interval = Duration.milliseconds(50)

  private var toldAt = MonotonicTime.distantPast
  /// When they are told what they have not been told yet; nil: they know all.
  private(set) var due: MonotonicTime?

  /// A turn has ended: whether what came of it goes to those at the tail, too, or only to who joined.
  mutating func tells(_ content: TurnContent, now: MonotonicTime) -> Bool {
    let next = toldAt + Self.interval
    switch content {
    case .entries(let withPresence):
      if withPresence || due != nil { toldAt = now }
    case .presence where next > now, .nothing where due != nil && next > now:
      due = next
      return false
    case .presence:
      toldAt = now
    case .nothing:
      if due != nil { toldAt = now }
    }
    due = nil
    return true
  }
}
