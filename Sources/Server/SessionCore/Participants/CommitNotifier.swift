internal import Primitives
internal import Wire

/// The sequence up to which entries are committed, and the participants that are still to get a `committed` message.
///
/// A `committed` message is sent at most every 100 ms. It may wait up to 50 ms for entries to piggyback on.
struct CommitNotifier {
  /// The way in which the `committed` message of this turn reaches a participant.
  enum Route {
    /// The `committed` message is sent with the unreliable frames of the turn.
    case piggyback
    /// The `committed` message is added to the participant's outbox.
    case outbox
    /// The participant gets no `committed` message in this turn, but gets a later one.
    case postponed
    /// The participant gets no `committed` message: it has no socket, and its next `joined` message contains the committed
    /// sequence.
    case none
  }

  /// The recipients of a `committed` message.
  struct Announcement {
    /// True if the `committed` message covers an entry of at least one participant.
    var isNeeded = false
    /// The participants that get the `committed` message in their outboxes.
    var outboxes: [ParticipantState] = []
    /// Nanoseconds for which the oldest entry waited for the `committed` message; 0 if no entry was counted.
    var wait: Int64 = 0
  }

  /// The shortest time between two `committed` messages.
  private static let intervalMs = 100
  /// The longest time that a `committed` message waits for entries to piggyback on.
  private static let piggybackMs = 50

  /// The last sequence on disk; in a session without a store, the last sequence that counts as on disk.
  private(set) var committed: UInt64 = 0
  private let isByStore: Bool
  /// Participants with entries that no `committed` message has covered yet.
  private var waiting: [ParticipantNumber] = []
  /// Participants that get this turn's `committed` message together with the turn's unreliable frames, if their sockets accept
  /// these frames.
  private var piggybacked: Set<ParticipantNumber> = []
  /// The earliest time of the next `committed` message. In a session without a store, entries count as on disk from that time.
  private var commitDue: MonotonicTime?
  /// The time until which the next `committed` message may wait for entries to piggyback on.
  private var announceBy: MonotonicTime?
  /// The time of the last `committed` message.
  private var sentAt: MonotonicTime?
  /// The time of the oldest entry that no save contains.
  private var oldestUnsaved = MonotonicTime.distantFuture
  /// The time of the oldest entry that is on disk and that no `committed` message has covered.
  private var oldestUnannounced = MonotonicTime.distantFuture

  init(isByStore: Bool) {
    self.isByStore = isByStore
  }

  /// The next time at which `tick` or the end of a turn has work to do.
  var nextDeadline: MonotonicTime? {
    guard let commitDue, let announceBy else { return commitDue ?? announceBy }
    return min(commitDue, announceBy)
  }

  /// Counts a new entry of a participant. A `committed` message informs the participant when the entry is committed.
  mutating func recordEntry(of participant: ParticipantState, now: MonotonicTime) {
    oldestUnsaved = min(oldestUnsaved, now)
    addWaiting(participant, now: now)
  }

  /// Adds a participant that gets a `committed` message when its newest entry is committed.
  mutating func addWaiting(_ participant: ParticipantState, now: MonotonicTime) {
    if !participant.awaitsCommitted {
      participant.awaitsCommitted = true
      participant.awaitsFrom = participant.lastSequence
      waiting.append(participant.number)
    }
    if isByStore {
      if participant.awaitsFrom <= committed { schedule(now: now) }
    } else if commitDue == nil {
      commitDue = now.adding(milliseconds: Self.intervalMs)
    }
  }

  /// Makes a participant wait for `committed` again, because its socket did not accept the unreliable frames with which this
  /// turn's `committed` message was sent.
  mutating func recordMissed(_ participant: ParticipantState, now: MonotonicTime) {
    guard piggybacked.contains(participant.number), !participant.awaitsCommitted else { return }
    addWaiting(participant, now: now)
  }

  /// Schedules the `committed` message when `commitDue` has passed. In a session without a store, also commits all entries
  /// up to `lastSequence`.
  mutating func tick(lastSequence: UInt64, now: MonotonicTime) {
    guard let due = commitDue, due <= now else { return }
    commitDue = nil
    if !isByStore {
      committed = lastSequence
      oldestUnannounced = min(oldestUnannounced, oldestUnsaved)
      oldestUnsaved = .distantFuture
    }
    announceBy = now.adding(milliseconds: Self.piggybackMs)
  }

  // MARK: - Saves

  /// Returns the time of the oldest entry in a save that begins. `isComplete` is true if the save contains all unsaved entries.
  mutating func beginSave(isComplete: Bool) -> MonotonicTime {
    let oldest = oldestUnsaved
    // If the save does not contain all unsaved entries, the time of the oldest remaining entry is unknown. So `oldestUnsaved` is
    // not changed.
    if isComplete { oldestUnsaved = .distantFuture }
    return oldest
  }

  /// Counts the entries of a failed save as unsaved again.
  mutating func failSave(_ oldest: MonotonicTime) {
    oldestUnsaved = min(oldestUnsaved, oldest)
  }

  /// Records that a save succeeded, and schedules a `committed` message.
  mutating func finishSave(_ oldest: MonotonicTime, through sequence: UInt64, now: MonotonicTime) {
    committed = sequence
    if waiting.isEmpty {
      oldestUnannounced = .distantFuture
    } else {
      oldestUnannounced = min(oldestUnannounced, oldest)
      schedule(now: now)
    }
  }

  /// Sets the committed sequence of a restored session.
  mutating func restore(committed sequence: UInt64) {
    committed = sequence
  }

  // MARK: - Messages

  /// Forgets the participants that got a `committed` message with the unreliable frames of the previous turn.
  mutating func beginTurn() {
    piggybacked.removeAll(keepingCapacity: true)
  }

  /// True if the scheduled `committed` message is to be sent at the end of this turn, because it can piggyback or because it must
  /// not wait longer.
  func isDue(canPiggyback: Bool, now: MonotonicTime) -> Bool {
    announceBy.map { canPiggyback || $0 <= now } ?? false
  }

  /// Chooses the recipients of the `committed` message. Schedules the next `committed` message for the participants that do not
  /// get this message.
  ///
  /// - Parameters:
  ///   - now: the present time.
  ///   - find: returns a participant by number; nil if the participant is forgotten.
  ///   - route: returns the way in which a participant gets the message.
  /// - Returns: the recipients that the caller has to write to.
  mutating func announce(
    now: MonotonicTime, find: (ParticipantNumber) -> ParticipantState?, route: (ParticipantState) -> Route
  ) -> Announcement {
    var announcement = Announcement()
    piggybacked.removeAll(keepingCapacity: true)
    var postponed: [ParticipantNumber] = []
    var uncommitted: [ParticipantNumber] = []
    for number in waiting {
      guard let participant = find(number) else { continue }
      guard participant.awaitsFrom <= committed else {
        uncommitted.append(number)
        continue
      }
      announcement.isNeeded = true
      // A later `committed` message covers the participant's newer entries.
      participant.awaitsCommitted = participant.lastSequence > committed
      if participant.awaitsCommitted {
        participant.awaitsFrom = committed + 1
        uncommitted.append(number)
      }
      switch route(participant) {
      case .none: continue
      case .piggyback: piggybacked.insert(number)
      case .outbox: announcement.outboxes.append(participant)
      case .postponed:
        if !participant.awaitsCommitted { postponed.append(number) }
        participant.awaitsCommitted = true
      }
    }
    waiting = postponed + uncommitted
    announceBy = postponed.isEmpty ? nil : now.adding(milliseconds: Self.intervalMs)
    let oldest = oldestUnannounced
    oldestUnannounced = .distantFuture
    guard announcement.isNeeded else { return announcement }
    sentAt = now
    if oldest <= now { announcement.wait = max(1, now.nanoseconds - oldest.nanoseconds) }
    return announcement
  }

  /// Frees the memory of the last turn.
  mutating func releaseMemory() {
    piggybacked = []
  }

  /// Schedules a `committed` message for the earliest time that the interval between two `committed` messages allows.
  private mutating func schedule(now: MonotonicTime) {
    guard announceBy == nil, commitDue == nil else { return }
    let due = sentAt?.adding(milliseconds: Self.intervalMs) ?? now
    if due <= now {
      announceBy = now.adding(milliseconds: Self.piggybackMs)
    } else {
      commitDue = due
    }
  }
}
