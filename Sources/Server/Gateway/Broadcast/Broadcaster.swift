internal import Primitives
internal import Networking
internal import Platform
internal import SessionCore

/// A session in memory, with the state of sending its entries to its members. Only `Broadcaster` changes this state.
class LiveSession {
  final let session: Session
  /// The state of storing its records.
  final let stored: StoredSession
  /// The number of open sockets whose clients have not joined yet.
  final var unjoinedSockets = 0
  /// True while the session is in the list of sessions whose turn has to be ended.
  final fileprivate var isDirty = false
  /// True while the entries of its last turn are being sent. Entries that arrive then are collected for the next flush.
  final fileprivate(set) var isFlushing = false {
    didSet { stored.isFlushing = isFlushing }
  }
  final fileprivate var pacer = FlushPacer()
  /// The number of messages since its last turn.
  final fileprivate var messageCount = 0
  /// The arrival of the oldest entry since its last turn, and of the oldest entry that is being sent; distant future if there is
  /// none.
  final fileprivate var firstEntryAt = MonotonicTime.distantFuture
  final fileprivate var flushedEntryAt = MonotonicTime.distantFuture
  /// True when this flush also sends to members that are caught up.
  final fileprivate var includesCaughtUp = true
  final fileprivate var presence = PresencePacer()
  /// The number of the last flush at the last sweep.
  final fileprivate var sweptFlush: UInt32 = 0
  /// True when the session has memory reserved for its next turn.
  final fileprivate var hasRoom = false
  /// The session's values that the reactor's gauges include.
  final fileprivate var countedParticipants = 0
  final fileprivate var countedLogBytes = 0

  /// Creates the state of a session before its first turn.
  init(_ session: Session, compressor: CatchUpCompressor) {
    self.session = session
    stored = StoredSession(session)
    session.compressor = compressor.compress
  }

  /// True when the session has ended, expired or been unloaded. The gauges do not count it any more.
  final var isRemoved: Bool {
    get { stored.isRemoved }
    set { stored.isRemoved = newValue }
  }
  /// The time at which caught-up members are informed about joins and leaves; nil if they have been informed.
  final var presenceDue: MonotonicTime? { presence.due }

  final func countMessage() {
    messageCount += 1
  }

  /// Records that entries arrived.
  final func entriesArrived(at now: MonotonicTime) {
    firstEntryAt = min(firstEntryAt, now)
  }
}

/// Ends the turns of a reactor's sessions, and sends the entries of each turn to the members.
///
/// A session that changed in a turn of the loop is marked as dirty. At the end of the loop's turn, the session's own turn is
/// ended at once, or delayed for up to 16 ms to collect more entries. Then the session is flushed in slices, so that a session
/// with thousands of members does not delay other sessions.
final class Broadcaster {
  /// The maximum time in a turn of the loop for ending turns of sessions.
  private static let endingTime = Duration.milliseconds(8)
  /// The maximum number of sends in a turn of the loop.
  private static let sendsPerTurn = 512

  private let fanOut: FanOut
  private let persister: Persister
  private let memory: SessionMemory
  private let load = LoopLoad()
  private let stopState: StopState
  /// The minimum time between two flushes of a session, if the operator set one.
  private let flushInterval: Duration?
  private let clock: LoopClock
  private let counters: ReactorCounters
  private let log: Log
  private var dirty: [LiveSession] = []
  /// Dirty sessions that wait for more entries, and the first time at which one of them is flushed.
  private var paced: [LiveSession] = []
  private var nextPacedFlush: MonotonicTime?
  private var flushing: [LiveSession] = []

  /// Called when a session's next deadline may have changed.
  var schedule: (LiveSession) -> Void = { _ in }
  /// Performs the effects of the end of a session's turn.
  var perform: ([Effect], LiveSession) -> Void = { _, _ in }

  init(
    _ fanOut: FanOut, persister: Persister, memory: SessionMemory, stopState: StopState,
    flushInterval: Duration?, clock: LoopClock, counters: ReactorCounters, log: Log
  ) {
    self.fanOut = fanOut
    self.persister = persister
    self.memory = memory
    self.stopState = stopState
    self.flushInterval = flushInterval
    self.clock = clock
    self.counters = counters
    self.log = log
  }

  private var now: MonotonicTime { clock.now }

  /// True when the next turn has work even without an event.
  var hasWork: Bool { !flushing.isEmpty || !dirty.isEmpty }
  /// The time of the next paced flush.
  var nextDeadline: MonotonicTime? { nextPacedFlush }

  /// Counts a turn of the loop. The load of the loop decides about the pacing of flushes.
  ///
  /// - Parameters:
  ///   - jobsBegan: the beginning of the jobs before the turn; nil without jobs.
  ///   - start: the beginning of the turn.
  ///   - end: the end of the turn.
  ///   - yielding: the part of the turn that no other work waits for.
  func countTurn(
    jobsBegan: MonotonicTime?, from start: MonotonicTime, to end: MonotonicTime, yielding: Duration
  ) {
    load.turned(jobsBegan: jobsBegan, from: start, to: end, yielding: yielding)
  }

  /// Marks a session as dirty: its turn is ended at the end of the loop's turn.
  func touch(_ live: LiveSession) {
    guard !live.isDirty else { return }
    live.isDirty = true
    dirty.append(live)
  }

  // MARK: - Ending turns

  /// Ends the turn of every dirty session, and begins to send its entries.
  func endTurns() {
    releasePaced()
    let sessions = dirty
    dirty = []
    let began = sessions.count > 1 ? MonotonicTime.now() : now
    for (index, live) in sessions.enumerated() {
      guard index == 0 || MonotonicTime.now() - began <= Self.endingTime else {
        // The first joiner of a session may need megabytes of preparation. Then the other sessions wait for the loop's next turn.
        dirty = sessions[index...] + dirty
        return
      }
      // During a flush, arriving entries are collected for the next flush.
      guard !live.isFlushing else {
        dirty.append(live)
        continue
      }
      if paces(live) { continue }
      live.isDirty = false
      live.session.endTurn(now: now)
      if case .entries = live.session.turnContent { live.flushedEntryAt = live.firstEntryAt }
      live.firstEntryAt = .distantFuture
      live.includesCaughtUp = live.presence.includesCaughtUp(live.session.turnContent, now: now)
      persister.storeSoon(live.stored)
      // The session's deadlines are scheduled when it is flushed. The loop does not wait before that.
      live.isFlushing = true
      flushing.append(live)
      let effects = live.session.takeEffects()
      if !effects.isEmpty { perform(effects, live) }
      for subscriber in live.session.takeWaitersWithOutput() { fanOut.flush(subscriber) }
    }
  }

  /// Ends a session's turn at once and sends as many bytes as its sockets accept. Does not wait for the end of the loop's turn.
  func endTurnAtOnce(of live: LiveSession) {
    live.session.endTurn(now: now)
    fanOut.send(live.session, sends: .max)
  }

  /// Flushes members of a session that are in the write queue.
  func flushPending(in live: LiveSession) {
    fanOut.flushPending(in: live.session)
  }

  /// Returns true if the session waits for more entries. After the wait, the session is dirty again.
  private func paces(_ live: LiveSession) -> Bool {
    let interval = flushInterval ?? FlushPacer.interval(load: load.value)
    guard !stopState.isDraining,
      let until = live.pacer.waits(interval, isFixed: flushInterval != nil, now: now)
    else {
      live.pacer.flushed(messages: live.messageCount, now: now)
      live.messageCount = 0
      return false
    }
    paced.append(live)
    nextPacedFlush = min(nextPacedFlush ?? until, until)
    return true
  }

  /// Marks the paced sessions whose time has come as dirty.
  private func releasePaced() {
    guard let first = nextPacedFlush, first <= now || stopState.isDraining else { return }
    var next: MonotonicTime?
    paced.removeAll { live in
      if let until = live.pacer.heldUntil, until > now, !stopState.isDraining {
        next = min(next ?? until, until)
        return false
      }
      dirty.append(live)
      return true
    }
    nextPacedFlush = next
  }

  // MARK: - Flushing

  /// Continues the flushes of sessions, in slices.
  func flush() {
    var sendsLeft = Self.sendsPerTurn
    var turns = flushing.count
    while sendsLeft > 0, turns > 0 {
      turns -= 1
      let live = flushing.removeFirst()
      let (isDone, sends) = fanOut.send(
        live.session, sends: sendsLeft, includingCaughtUp: live.includesCaughtUp)
      sendsLeft -= max(1, sends)
      if isDone {
        sendsLeft -= fanOut.sendTargeted(live.session)
        live.isFlushing = false
        recordFanOutTime(live)
      } else {
        // The remaining sessions continue in the next turn.
        flushing.append(live)
      }
      collectCounters(of: live)
      // The end of the turn has set the session's deadlines. A timer sends `committed` to members that missed the piggybacked
      // one.
      schedule(live)
      if live.session.needsTurn { touch(live) }
    }
  }

  /// Records the time from the arrival of the oldest entry until the entries were sent to all members at the tail.
  private func recordFanOutTime(_ live: LiveSession) {
    guard live.flushedEntryAt != .distantFuture else { return }
    counters.values.fanOutTimes.count(.now() - live.flushedEntryAt)
    live.flushedEntryAt = .distantFuture
  }

  // MARK: - Counters

  /// Adds the counters of a session to those of the reactor, and updates the gauges.
  func collectCounters(of live: LiveSession) {
    let counted = live.session.takeCounters()
    counters.values.entriesReceived += UInt64(counted.entriesAccepted)
    counters.values.entriesDelivered += UInt64(counted.delivered)
    counters.values.repeats += UInt64(counted.repeats)
    counters.values.unreliableReceived += UInt64(counted.unreliableReceived)
    counters.values.unreliableRefused += UInt64(counted.unreliableRefused)
    counters.values.unreliableDropped += UInt64(counted.unreliableDropped)
    counters.values.lateCatchUps += UInt64(counted.lateCatchUps)
    if counted.commitWait > 0 { counters.values.commitTimes.count(nanoseconds: counted.commitWait) }
    guard !live.isRemoved else { return }
    setGauges(of: live, participants: live.session.members.count, logBytes: live.session.logBytes)
  }

  /// Removes a session from the counters and gauges, before the session itself is removed.
  func countOut(_ live: LiveSession) {
    collectCounters(of: live)
    setGauges(of: live, participants: 0, logBytes: 0)
  }

  private func setGauges(of live: LiveSession, participants: Int, logBytes: Int) {
    counters.values.participants += Int64(participants - live.countedParticipants)
    counters.values.logBytes += Int64(logBytes - live.countedLogBytes)
    logMemory(
      memory.hold(
        logBytes - live.countedLogBytes,
        sessions: (logBytes > 0 ? 1 : 0) - (live.countedLogBytes > 0 ? 1 : 0)))
    live.session.memoryPressure = memory.memoryPressure(for: logBytes)
    live.countedParticipants = participants
    live.countedLogBytes = logBytes
  }

  /// Logs when the memory for sessions is full, and when there is room again.
  private func logMemory(_ change: SessionMemory.Change) {
    switch change {
    case .crowded:
      log(
        .warning, "memory for sessions full",
        ["held": .number(memory.held), "memoryBytes": .number(memory.limit)])
    case .relieved:
      log(
        .info, "memory for sessions free again",
        ["held": .number(memory.held), "memoryBytes": .number(memory.limit)])
    case .same: break
    }
  }

  /// Frees the memory for the next turn of a session that was idle since the last sweep.
  func sweep(_ live: LiveSession) {
    guard !live.isFlushing else { return }
    let flush = live.session.flushNumber
    if live.sweptFlush != flush {
      live.sweptFlush = flush
      live.hasRoom = true
    } else if live.hasRoom {
      live.session.releaseRoom()
      live.hasRoom = false
    }
  }
}
