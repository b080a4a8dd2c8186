internal import Primitives
internal import Networking
internal import Platform
internal import SessionCore

/// A session in memory, with the state of sending its entries to its members. Only `Broadcaster` changes the state of sending.
class LiveSession: StoredSession {
  /// The number of open sockets whose clients have not joined yet.
  final var unjoinedSockets = 0
  /// True while the session is marked as dirty: its turn has to be ended.
  final fileprivate var isDirty = false
  final fileprivate var pacer = FlushPacer()
  /// The number of messages that arrived since the session's last turn ended.
  final fileprivate var messageCount = 0
  /// The arrival time of the oldest entry of the session's present turn; distant future if no entry arrived.
  final fileprivate var firstEntryAt = MonotonicTime.distantFuture
  /// The arrival time of the oldest entry that is being sent; distant future if no entry is being sent.
  final fileprivate var flushedEntryAt = MonotonicTime.distantFuture
  /// True when the present flush also sends to members that are caught up.
  final fileprivate var includesCaughtUp = true
  final fileprivate var presence = PresencePacer()
  /// The number of the session's last flush at the time of the last sweep.
  final fileprivate var sweptFlush: UInt32 = 0
  /// True while the session may still have buffers from earlier turns. In this case, the session is in `Broadcaster.buffered`.
  final fileprivate var hasBuffers = false
  /// This session's present contribution to the reactor's gauges: the number of its participants, and the number of its log
  /// bytes.
  final fileprivate var countedParticipants = 0
  final fileprivate var countedLogBytes = 0
  /// The value that was last assigned to `session.memoryPressure`.
  final fileprivate var memoryPressure: Int?

  /// Creates the state of a session before its first turn.
  init(_ session: consuming Session, compressor: CatchUpCompressor) {
    super.init(session)
    self.session.compressor = compressor.compress
  }

  /// The time at which caught-up members are informed about recent joins and leaves; nil if they know about all of them.
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
/// A session that changes in a turn of the loop is marked as dirty. When the loop's turn ends, the broadcaster also ends the turn
/// of the session, or first waits up to 16 ms for more entries. Afterwards it flushes the session in slices, so that a session
/// with thousands of members does not delay other sessions.
final class Broadcaster {
  /// The maximum time that a turn of the loop spends on ending the turns of sessions.
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
  private let dirty = TurnList<LiveSession>()
  /// Dirty sessions that wait for more entries.
  private var paced: [LiveSession] = []
  /// The earliest time at which the wait of a session in `paced` ends; nil if none waits.
  private var nextPacedFlush: MonotonicTime?
  private let flushing = TurnList<LiveSession>()

  /// The sessions that may still have buffers from earlier turns. `sweep()` visits only these sessions, because a gateway may
  /// have thousands of sessions without any traffic.
  private(set) var buffered: [LiveSession] = []

  /// Called when a session's next deadline may have changed.
  var schedule: (LiveSession, SessionDeadlines) -> Void = { _, _ in }
  /// Performs the effects that a session returned at the end of its turn.
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

  /// True when the next turn has work even if no event arrives.
  var hasWork: Bool { !flushing.isEmpty || !dirty.isEmpty }
  /// The earliest time at which a session's wait for more entries ends; nil if no session waits.
  var nextDeadline: MonotonicTime? { nextPacedFlush }

  /// Adds a turn of the loop to the measured load. The load determines how long flushes are delayed.
  ///
  /// - Parameters:
  ///   - jobsBegan: the beginning of the jobs that ran just before the turn; nil without jobs.
  ///   - start: the beginning of the turn.
  ///   - end: the end of the turn.
  ///   - yielding: the time in the turn that was spent on expensive input. It does not count as load.
  func countTurn(
    jobsBegan: MonotonicTime?, from start: MonotonicTime, to end: MonotonicTime, yielding: Duration
  ) {
    load.turned(jobsBegan: jobsBegan, from: start, to: end, yielding: yielding)
  }

  /// Marks a session as dirty, so that the session's turn is ended when the loop's turn ends.
  func touch(_ live: LiveSession) {
    guard !live.isDirty else { return }
    live.isDirty = true
    dirty.append(live)
    guard !live.hasBuffers else { return }
    live.hasBuffers = true
    buffered.append(live)
  }

  // MARK: - Ending turns

  /// Ends the turns of dirty sessions, and begins the flushes of their entries.
  func endTurns() {
    releasePaced()
    guard !dirty.isEmpty else { return }
    let now = now
    let end = dirty.count > 1 ? MonotonicTime.now() + Self.endingTime : now
    let interval = flushInterval ?? FlushPacer.interval(load: load.value)
    dirty.serve { live, isFirst in
      // If the time limit is reached, the remaining sessions wait for the next turn of the loop. This can happen, for example,
      // after a catch-up of several megabytes was prepared for the first participant who joined.
      guard isFirst || MonotonicTime.now() <= end else { return false }
      // If the previous flush of this session has not finished, the entries that arrive meanwhile are collected for the next
      // flush.
      if live.isFlushing || live.takeOverdueBatch(now: now) {
        dirty.append(live)
      } else if !paces(live, interval, now) {
        endTurn(of: live, now)
      }
      return true
    }
  }

  private func endTurn(of live: LiveSession, _ now: MonotonicTime) {
    live.isDirty = false
    live.session.endTurn(now: now)
    let result = live.session.takeTurnResult()
    if case .entries = result.content { live.flushedEntryAt = live.firstEntryAt }
    live.firstEntryAt = .distantFuture
    live.includesCaughtUp = live.presence.includesCaughtUp(result.content, now: now)
    if let unsavedBytes = result.unsavedBytes { persister.storeSoon(live, unsavedBytes: unsavedBytes) }
    // The session's deadlines are scheduled by `flush()`. They cannot be late, because the loop does not wait for events before
    // it calls `flush()`.
    live.isFlushing = true
    flushing.append(live)
    if !result.effects.isEmpty { perform(result.effects, live) }
    for subscriber in result.waitersWithOutput { fanOut.flush(subscriber) }
  }

  /// Ends a session's turn immediately, before the loop's turn ends, and sends as many bytes as the members' sockets accept.
  func endTurnAtOnce(of live: LiveSession) {
    live.session.endTurn(now: now)
    fanOut.send(live, sends: .max)
  }

  /// Flushes those members of a session whose sockets wait in the write queue.
  func flushPending(in live: LiveSession) {
    fanOut.flushPending(in: live)
  }

  /// Decides whether a dirty session first waits for more entries. Records the flush of a session that does not wait.
  ///
  /// - Returns: true if the session waits. After the wait, it is in the list of dirty sessions again.
  private func paces(_ live: LiveSession, _ interval: Duration, _ now: MonotonicTime) -> Bool {
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

  /// Moves sessions back to the list of dirty sessions if their wait for more entries is over.
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

  /// Continues the flushes of sessions, with at most `sendsPerTurn` sends.
  func flush() {
    guard !flushing.isEmpty else { return }
    var sendsLeft = Self.sendsPerTurn
    flushing.serve { live, _ in
      guard sendsLeft > 0 else { return false }
      let progress = fanOut.send(live, sends: sendsLeft, includingCaughtUp: live.includesCaughtUp)
      sendsLeft -= max(1, progress.sends)
      if progress.isDone {
        if progress.hasTargeted { sendsLeft -= fanOut.sendTargeted(live) }
        live.isFlushing = false
        recordFanOutTime(live)
      } else {
        // This flush has not visited all members yet. It continues after the flushes of the other sessions.
        flushing.append(live)
      }
      let status = live.session.takeStatus()
      collect(status, of: live)
      // The turn may have changed the deadlines of the session. For example, it may have set the time to send `committed` to
      // members that did not get `committed` together with entries.
      schedule(live, status.deadlines)
      if status.needsTurn { touch(live) }
      return true
    }
  }

  /// Records the fan-out time of a flush: from the arrival of its oldest entry until its entries were sent to all members at the
  /// tail of the log.
  private func recordFanOutTime(_ live: LiveSession) {
    guard live.flushedEntryAt != .distantFuture else { return }
    let time = MonotonicTime.now().nanoseconds - live.flushedEntryAt.nanoseconds
    counters.update { $0.fanOutTimes.count(nanoseconds: time) }
    live.flushedEntryAt = .distantFuture
  }

  // MARK: - Counters

  /// Adds the counters of a session to the reactor's counters, and updates the gauges.
  private func collect(_ status: SessionStatus, of live: LiveSession) {
    add(status.counters)
    if !live.isRemoved { setGauges(of: live, participants: status.memberCount, logBytes: status.logBytes) }
  }

  /// Collects the last counters of a session and removes the session from the gauges, before it is marked as removed.
  func countOut(_ live: LiveSession) {
    add(live.session.takeCounters())
    setGauges(of: live, participants: 0, logBytes: 0)
  }

  private func add(_ counted: SessionCounters) {
    counters.update { values in
      values.entriesReceived += UInt64(counted.entriesAccepted)
      values.entriesDelivered += UInt64(counted.delivered)
      values.repeats += UInt64(counted.repeats)
      values.unreliableReceived += UInt64(counted.unreliableReceived)
      values.unreliableRefused += UInt64(counted.unreliableRefused)
      values.unreliableDropped += UInt64(counted.unreliableDropped)
      values.lateCatchUps += UInt64(counted.lateCatchUps)
      if counted.commitWait > 0 { values.commitTimes.count(nanoseconds: counted.commitWait) }
    }
  }

  private func setGauges(of live: LiveSession, participants: Int, logBytes: Int) {
    let joined = participants - live.countedParticipants
    let grown = logBytes - live.countedLogBytes
    if joined != 0 || grown != 0 {
      counters.update { values in
        values.participants += Int64(joined)
        values.logBytes += Int64(grown)
      }
      logMemory(
        memory.hold(grown, sessions: (logBytes > 0 ? 1 : 0) - (live.countedLogBytes > 0 ? 1 : 0)))
      live.countedParticipants = participants
      live.countedLogBytes = logBytes
    }
    let pressure = memory.memoryPressure(for: logBytes)
    guard pressure != live.memoryPressure else { return }
    live.memoryPressure = pressure
    live.session.memoryPressure = pressure
  }

  /// Logs that the memory for sessions is full, or that it has free room again.
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

  /// Frees the buffers of the sessions that were not flushed since the last sweep.
  func sweep() {
    let sessions = buffered
    buffered = []
    for live in sessions where !live.isRemoved {
      let flush = live.session.flushNumber
      if live.isDirty || live.isFlushing || live.sweptFlush != flush {
        live.sweptFlush = flush
        buffered.append(live)
      } else {
        live.session.releaseRoom()
        live.hasBuffers = false
      }
    }
  }
}
