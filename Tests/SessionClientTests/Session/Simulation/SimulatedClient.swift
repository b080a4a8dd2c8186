import SessionClient
import FoundationEssentials
import SessionCore
import Primitives
import Wire

/// A program in a session: what it was told, and what it makes of that.
final class SimulatedClient {
  /// A message as it was sent.
  struct Sent {
    let index: Int
    let entry: OutgoingEntry
    /// The ids of those it is for; nil: everybody.
    let targets: Set<UUID>?
  }

  let index: Int
  var session: ClientSession
  var gate: SendGate
  var socket: SimulatedSocket?
  /// When the socket that was asked for is to be opened.
  var opensAt: MonotonicTime?

  var sent: [Sent] = []
  var titles: [String] = []
  /// All that it ever was.
  private(set) var ids: Set<UUID> = []
  private(set) var me: Participant?
  var isFinished = false
  var hasLeft = false
  /// How many of its messages were sent before all were there.
  var early = 0
  /// Of each sender the messages that were told as new, in order.
  private(set) var told: [String: [Int]] = [:]
  private(set) var snapshots = 0
  private(set) var isCaughtUp = false
  private(set) var isSettled = true
  private(set) var people: [Participant] = []
  private(set) var activity: Activity?
  private(set) var unreliable: Set<String> = []
  private(set) var reachedMarks: Set<UInt64> = []
  /// What the session retains, as the marks on what was told say.
  private(set) var retained: [EntryKey: [UInt64]] = [:]

  init(index: Int, now: MonotonicTime, seed: UInt64) {
    self.index = index
    session = ClientSession(
      profile: Profile(name: "C\(index)"), chance: SeededGenerator(seed: seed), now: now)
    gate = SendGate(now: now)
  }

  /// What the program is told.
  func take(_ notice: SessionEvent) throws {
    switch notice {
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

  func unsettle() { isSettled = false }
  func reached(_ mark: UInt64) { reachedMarks.insert(mark) }

  private func take(_ entry: ReceivedEntry) throws {
    if entry.flags.contains(.reliable) { retain(entry) }
    guard entry.flags.retention != .remove else { return }
    let parts = String(decoding: entry.payload.prefix(40), as: UTF8.self).split(separator: " ")
    guard parts.count >= 3, let number = Int(parts[1]) else {
      throw Violation("a message of nobody: \(entry)")
    }
    let sender = String(parts[0])
    try require(
      entry.source.name == sender, "a message of \(sender) came as one of \(entry.source)")
    try require(entry.isMine == (sender == "C\(index)"), "whose is \(entry)? C\(index) is told")
    guard entry.flags.contains(.reliable) else {
      try require(sender != "C\(index)", "C\(index) got an unreliable one of its own")
      try require(
        unreliable.insert("\(sender) \(number)").inserted, "unreliable \(number) of \(sender) came twice")
      return
    }
    guard !entry.isRepeat else { return }
    let last = told[sender]?.last ?? -1
    try require(number > last, "C\(index) is told \(number) of \(sender) after \(last)")
    told[sender, default: []].append(number)
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
