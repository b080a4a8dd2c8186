import SessionClient
import Platform
import Wire

/// The events of a membership, for a test to check and wait for.
final class EventRecorder: Sendable {
  /// A message that another participant sent. Repeated deliveries of a message are not recorded.
  struct Message: Equatable, Sendable {
    let from: ParticipantNumber
    let type: String
    let payload: [UInt8]
  }

  /// The recorded events.
  struct Record: Sendable {
    var joins: [Joined] = []
    var catchUps: [CatchUpKind] = []
    var caughtUps = 0
    var messages: [Message] = []
    /// The payloads of own messages that the gateway echoed, without repeats.
    var echoes: [[UInt8]] = []
    var active: [Participant] = []
    var waiting: [Participant] = []
    var activities: [Activity] = []
    var aways = 0
    var troubles: [String] = []
    var refusals = 0
    var end: EndReason?
    /// The number of events that arrived after the membership had ended.
    var afterEnd = 0
  }

  private let record = Guarded(Record())

  /// A copy of the events recorded so far.
  var recorded: Record { record.withLock { $0 } }

  /// The observer for a membership.
  var observer: Membership.Observer {
    { event in self.record.withLock { Self.apply(event, to: &$0) } }
  }

  /// Waits for a condition on the record.
  func wait(for what: String, _ condition: (borrowing Record) -> Bool) throws {
    try TestTimeout.block(until: what) {
      record.withLock { condition($0) }
    } otherwise: {
      let now = recorded
      return
        "\(now.joins.count) joins, \(now.caughtUps) catch-ups, \(now.messages.count) messages, "
        + "\(now.echoes.count) echoes, away \(now.aways) times, \(now.refusals) refusals, "
        + "end: \(String(describing: now.end)), troubles: \(now.troubles.suffix(3))"
    }
  }

  private static func apply(_ event: SessionEvent, to record: inout Record) {
    if record.end != nil { record.afterEnd += 1 }
    switch event {
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
