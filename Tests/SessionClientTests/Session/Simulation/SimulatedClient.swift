import SessionClient
import FoundationEssentials
import SessionCore
import Primitives
import Wire

/// An application in a session: the events that it receives, and the state that it derives from them.
final class SimulatedClient {
  /// A sent message.
  struct Sent {
    let index: Int
    let entry: OutgoingEntry
    /// The ids of the targets; nil for all participants.
    let targets: Set<UUID>?
  }

  let index: Int
  var session: ClientSession
  var gate: SendGate
  var socket: SimulatedSocket?
  /// The time at which the requested socket is to be opened.
  var opensAt: MonotonicTime?

  var sent: [Sent] = []
  var titles: [String] = []
  /// The ids of all participants that the gateway has created for this client.
  private(set) var ids: Set<UUID> = []
  private(set) var me: Participant?
  var isFinished = false
  var hasLeft = false
  /// The number of messages sent before all clients had joined.
  var sentBeforeStart = 0
  /// The numbers of the messages received from each sender, without repeats, in order.
  private(set) var received: [String: [Int]] = [:]
  private(set) var snapshots = 0
  private(set) var isCaughtUp = false
  private(set) var isSettled = true
  private(set) var people: [Participant] = []
  private(set) var activity: Activity?
  private(set) var unreliable: Set<String> = []
  private(set) var reachedMarks: Set<UInt64> = []
  /// The sequences of the retained entries by key, derived from the flags of the received entries.
  private(set) var retained: [EntryKey: [UInt64]] = [:]

  init(index: Int, now: MonotonicTime, seed: UInt64) {
    self.index = index
    session = ClientSession(
      profile: Profile(name: "C\(index)"), generator: SeededGenerator(seed: seed), now: now)
    gate = SendGate(now: now)
  }

  /// Handles an event.
  func handle(_ event: SessionEvent) throws {
    switch event {
    case .joined(let joined):
      me = joined.participant
      ids.insert(joined.participant.id)
    case .catchUp(let kind):
      isCaughtUp = false
      if kind == .snapshot {
        snapshots += 1
        retained = [:]
      }
    case .caughtUp: isCaughtUp = true
    case .participants(let active, _): people = active
    case .activity(let activity, _): self.activity = activity
    case .entry(let entry): try take(entry)
    case .away: isCaughtUp = false
    case .settled: isSettled = true
    case .ended(let reason): try require(reason == .left, "C\(index) ended: \(reason)")
    case .refused(let entry, let refusal): throw Violation("\(entry) of C\(index) was refused: \(refusal)")
    case .attachments, .progress, .successor, .notice, .trouble: break
    }
  }

  func markUnsettled() { isSettled = false }
  func reached(_ mark: UInt64) { reachedMarks.insert(mark) }

  private func take(_ entry: ReceivedEntry) throws {
    if entry.flags.contains(.reliable) { retain(entry) }
    guard entry.flags.retention != .remove else { return }
    let parts = String(decoding: entry.payload.prefix(40), as: UTF8.self).split(separator: " ")
    guard parts.count >= 3, let number = Int(parts[1]) else {
      throw Violation("a message without a sender: \(entry)")
    }
    let sender = String(parts[0])
    try require(
      entry.source.name == sender, "a message of \(sender) has the source \(entry.source)")
    try require(entry.isMine == (sender == "C\(index)"), "isMine is wrong at C\(index): \(entry)")
    guard entry.flags.contains(.reliable) else {
      try require(sender != "C\(index)", "C\(index) received an own unreliable entry")
      try require(
        unreliable.insert("\(sender) \(number)").inserted, "unreliable \(number) of \(sender) arrived twice")
      return
    }
    guard !entry.isRepeat else { return }
    let last = received[sender]?.last ?? -1
    try require(number > last, "C\(index) received \(number) of \(sender) after \(last)")
    received[sender, default: []].append(number)
  }

  private func retain(_ entry: ReceivedEntry) {
    guard !entry.flags.contains(.existing) else { return }
    switch entry.flags.retention {
    case .none: break
    case .append: retained[entry.key, default: []].append(entry.sequence)
    case .replace: retained[entry.key] = [entry.sequence]
    case .remove: retained[entry.key] = nil
    }
  }
}
