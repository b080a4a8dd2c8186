internal import Platform
internal import Primitives
internal import Wire

/// The command queue from the threads of the program to the client loop, with the state that these threads and the loop share.
final class MembershipQueue: Sendable {
  private struct State {
    var gate = SendGate(now: .now())
    var commands: [MembershipCommand] = []
    /// The loop that executes the commands; nil before `waitToJoin` and `join`.
    var loop: ClientLoop?
    /// True while the loop has been notified of `commands` but has not taken them.
    var isNotified = false
    var token: Token?
    var limits = Limits()
    var end: EndReason?
    var isFinished = false
    var hasLeft = false
    /// The promises of pending marks, by number. A mark is a command that `settle` enqueues behind all earlier messages. The
    /// promise of a mark gets nil when all messages before the mark are on the gateway's disk. If the session ends first, the
    /// promise gets the reason for the end.
    var marks: [UInt64: Promise<EndReason?>] = [:]
    var lastMark: UInt64 = 0
  }

  private let state = Guarded(State())
  /// The promise that is resolved when the membership is over.
  private let completion = Promise<Void>()

  // MARK: - Called on any thread

  /// The token of this participant.
  var token: Token? { state.withLock { $0.token } }

  /// The limits in force.
  var limits: Limits { state.withLock { $0.limits } }

  /// Starts the membership. Puts `command` in front of the commands that were enqueued before the start, such as a change of the
  /// profile. The command `join` also opens the `SendGate`.
  ///
  /// - Returns: true if the loop has to add the membership.
  func start(_ command: MembershipCommand, on loop: ClientLoop) -> Bool {
    state.withLock { state in
      // If an earlier call could not start the loop, `end` is set: the membership is over.
      guard state.loop == nil, state.end == nil else { return false }
      state.loop = loop
      if case .join = command { state.gate.open() }
      state.commands.insert(command, at: 0)
      state.isNotified = true
      return true
    }
  }

  /// Joins after `waitToJoin`. A second call has no effect.
  func join(as profile: Profile?) {
    post { state in
      guard !state.hasLeft, state.end == nil else { return nil }
      state.gate.open()
      return .join(profile)
    }
  }

  /// Enqueues an entry if the `SendGate` admits it. The entry's position among all sent messages is fixed when the call returns.
  func enqueue(_ entry: OutgoingEntry) throws(AdmissionError) {
    try post { (state) throws(AdmissionError) in
      try state.gate.admit(entry, now: .now()) ? .send(entry) : nil
    }
  }

  /// Enqueues a change of the activity if the `SendGate` admits it.
  func enqueue(_ change: ActivityChange) throws(AdmissionError) {
    try post { (state) throws(AdmissionError) in
      try state.gate.admit(change, now: .now())
      return .change(change)
    }
  }

  /// Enqueues a command that needs no admission.
  func enqueue(_ command: MembershipCommand) {
    post { _ in command }
  }

  /// Leaves the session. Further messages are rejected.
  func leave() {
    post { state in
      state.gate.close()
      state.hasLeft = true
      return .leave
    }
  }

  /// Waits until all earlier messages are on the gateway's disk.
  ///
  /// - Throws: `EndReason` if the session ends during the wait; `CancellationError` if the task is cancelled.
  func settle() async throws {
    let promise = Promise<EndReason?>()
    let known: EndReason?
    switch mark(promise) {
    case .notStarted: return
    case .ended(let reason): throw reason
    case .pending(let number):
      defer { state.withLock { $0.marks[number] = nil } }
      do throws(SessionClientError) {
        known = try await promise.value()
      } catch {
        throw CancellationError()
      }
    }
    if let known { throw known }
  }

  /// Waits until the membership is over or the task is cancelled. Returns immediately if the membership never began.
  func finish() async {
    guard state.withLock({ $0.loop != nil || $0.end != nil }) else { return }
    // `value()` throws only if this task was cancelled. The cancellation ends the wait.
    _ = try? await completion.value()
  }

  // MARK: - Called by the loop

  /// Removes and returns the queued commands, in order.
  func takeCommands() -> [MembershipCommand] {
    state.withLock { state in
      var commands: [MembershipCommand] = []
      swap(&commands, &state.commands)
      state.isNotified = false
      return commands
    }
  }

  /// Records that the session accepted this participant.
  func joined(_ joined: Joined, now: MonotonicTime) {
    state.withLock { state in
      state.token = joined.token
      state.limits = joined.limits
      state.gate.use(joined.limits, now: now)
    }
  }

  /// Records the total number of bytes that the session has released from its outbox, so that `gate` can admit more messages.
  func released(_ bytes: Int) {
    state.withLock { $0.gate.released(bytes) }
  }

  /// Resolves the promise of a mark command. The loop calls this function when all messages that were enqueued before the mark
  /// are on the gateway's disk.
  func reached(mark number: UInt64) {
    state.withLock { $0.marks[number] }?.resolve(.success(nil))
  }

  /// Records the reason for the end of the membership. Messages that are sent afterwards are rejected.
  func ended(_ reason: EndReason) {
    state.withLock { state in
      state.gate.close()
      if state.end == nil { state.end = reason }
    }
  }

  /// Resolves all promises: the membership is over.
  func finished() {
    let (marks, reason) = state.withLock { state in
      state.gate.close()
      state.isFinished = true
      state.commands = []
      defer { state.marks = [:] }
      return (Array(state.marks.values), state.end ?? .left)
    }
    for mark in marks { mark.resolve(.success(reason)) }
    completion.resolve(.success(()))
  }

  // MARK: - Private

  /// Appends the command that the closure returns, and notifies the loop. The closure runs under the lock.
  private func post<Failure>(
    _ decide: (inout State) throws(Failure) -> MembershipCommand?
  ) throws(Failure) {
    let loop: ClientLoop? = try state.withLock { (state) throws(Failure) in
      guard let command = try decide(&state), !state.isFinished else { return nil }
      state.commands.append(command)
      guard !state.isNotified, let loop = state.loop else { return nil }
      state.isNotified = true
      return loop
    }
    loop?.notify(self)
  }

  private enum MarkResult {
    case pending(UInt64)
    case notStarted
    case ended(EndReason)
  }

  /// Enqueues a mark command behind all messages that are in the queue now. The promise is resolved when these messages are on
  /// the gateway's disk.
  private func mark(_ promise: Promise<EndReason?>) -> MarkResult {
    var result = MarkResult.notStarted
    post { state in
      if let end = state.end ?? (state.isFinished ? .left : nil) {
        result = .ended(end)
        return nil
      }
      guard state.loop != nil else { return nil }
      state.lastMark += 1
      state.marks[state.lastMark] = promise
      result = .pending(state.lastMark)
      return .mark(state.lastMark)
    }
    return result
  }
}
