import SessionClient
import Platform
import Wire

/// What a membership was told, for a test to look at and wait for.
final class Audience: Sendable {
  /// A message of somebody else's that was told for the first time.
  struct Message: Equatable, Sendable {
    let from: ParticipantNumber
    let type: String
    let payload: [UInt8]
  }

  /// What has come up to now.
  struct Heard: Sendable {
    var joins: [Joined] = []
    var catchUps: [CatchUpKind] = []
    var caughtUps = 0
    var messages: [Message] = []
    /// My own that came back, for the first time.
    var echoes: [[UInt8]] = []
    var active: [Participant] = []
    var waiting: [Participant] = []
    var activities: [Activity] = []
    var aways = 0
    var troubles: [String] = []
    var refusals = 0
    var end: EndReason?
    /// Notices that came after the end.
    var afterEnd = 0
  }

  private let heard = Guarded(Heard())

  /// A copy of what has come.
  var now: Heard { heard.withLock { $0 } }

  /// What a membership is made with.
  var observer: Membership.Observer {
    { notice in self.heard.withLock { Self.take(notice, into: &$0) } }
  }

  /// Waits until what has come is as wanted.
  func wait(for what: String, _ condition: (borrowing Heard) -> Bool) throws {
    try Patience.block(until: what) {
      heard.withLock { condition($0) }
    } otherwise: {
      let now = now
      return
        "\(now.joins.count) joins, \(now.caughtUps) catch-ups, \(now.messages.count) messages, "
        + "\(now.echoes.count) echoes, away \(now.aways) times, \(now.refusals) refusals, "
        + "end: \(String(describing: now.end)), troubles: \(now.troubles.suffix(3))"
    }
  }

  private static func take(_ notice: Notice, into heard: inout Heard) {
    if heard.end != nil { heard.afterEnd += 1 }
    switch notice {
    case .joined(let joined): heard.joins.append(joined)
    case .catchUp(let kind): heard.catchUps.append(kind)
    case .caughtUp: heard.caughtUps += 1
    case .participants(let active, let waiting):
      heard.active = active
      heard.waiting = waiting
    case .activity(let activity, _): heard.activities.append(activity)
    case .entry(let entry):
      guard !entry.isRepeat else { return }
      if entry.isMine {
        heard.echoes.append(entry.payload)
      } else {
        heard.messages.append(
          Message(from: entry.source.number, type: entry.type, payload: entry.payload))
      }
    case .away: heard.aways += 1
    case .ended(let reason): heard.end = reason
    case .trouble(let words): heard.troubles.append(words)
    case .refused: heard.refusals += 1
    case .attachments, .progress, .successor, .notice, .settled: break
    }
  }
}
