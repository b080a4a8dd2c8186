import SessionClient
import Platform
import Wire

/// What a membership was told, for a test to look at and wait for.
final class EventRecorder: Sendable {
  /// A message of somebody else's that was told for the first time.
  struct Message: Equatable, Sendable {
    let from: ParticipantNumber
    let type: String
    let payload: [UInt8]
  }

  /// What has come up to now.
  struct Record: Sendable {
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

  private let record = Guarded(Record())

  /// A copy of what has come.
  var now: Record { record.withLock { $0 } }

  /// What a membership is made with.
  var observer: Membership.Observer {
    { notice in self.record.withLock { Self.take(notice, into: &$0) } }
  }

  /// Waits until what has come is as wanted.
  func wait(for what: String, _ condition: (borrowing Record) -> Bool) throws {
    try TestTimeout.block(until: what) {
      record.withLock { condition($0) }
    } otherwise: {
      let now = now
      return
        "\(now.joins.count) joins, \(now.caughtUps) catch-ups, \(now.messages.count) messages, "
        + "\(now.echoes.count) echoes, away \(now.aways) times, \(now.refusals) refusals, "
        + "end: \(String(describing: now.end)), troubles: \(now.troubles.suffix(3))"
    }
  }

  private static func take(_ notice: SessionEvent, into record: inout Record) {
    if record.end != nil { record.afterEnd += 1 }
    switch notice {
    case .joined(let joined): record.joins.append(joined)
    case .catchUp(let kind): record.catchUps.append(kind)
    case .caughtUp: record.caughtUps += 1
    case .participants(let active, let waiting):
      record.active = active
      record.waiting = waiting
    case .activity(let activity, _): record.activities.append(activity)
    case .entry(let entry):
      guard !entry.isRepeat else { return }
      if entry.isMine {
        record.echoes.append(entry.payload)
      } else {
        record.messages.append(
          Message(from: entry.source.number, type: entry.type, payload: entry.payload))
      }
    case .away: record.aways += 1
    case .ended(let reason): record.end = reason
    case .trouble(let words): record.troubles.append(words)
    case .refused: record.refusals += 1
    case .attachments, .progress, .successor, .notice, .settled: break
    }
  }
}
