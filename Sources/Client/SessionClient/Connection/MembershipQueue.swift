internal import Platform
internal import Primitives
internal import Wire

/// Where the threads that call a membership meet the loop that keeps it: what was taken waits here, in its order.
final class MembershipQueue: Sendable {
  private struct State {
    var gate = SendGate(now: .now())
    var commands: [MembershipCommand] = []
    /// Nil before `waitToJoin` and `join`; then the loop that carries out the orders.
    var loop: ClientLoop?
    /// The loop knows that there are orders.
    var isNotified = false
    var token: Token?
    var limits = Limits()
    var end: EndReason?
    var isFinished = false
    var hasLeft = false
    /// Who waits for which mark: nil once all before it is on the disk, else why it never will be.
    var marks: [UInt64: Promise<EndReason?>] = [:]
    var lastMark: UInt64 = 0
  }

  private let state = Guarded(State())
  /// Nothing more comes of it.
  private let completion = Promise<Void>()

  // MARK: - Any thread

  /// What proves who this participant is.
  var token: Token? { state.withLock { $0.token } }

  /// The limits in force.
  var limits: Limits { state.withLock { $0.limits } }

  /// Begins with an order, once; true when the loop has to take the membership on. `join` opens the gate, and comes before
  /// what was asked for earlier, such as a profile.
  func start(_ command: MembershipCommand, on loop: ClientLoop) -> Bool {
    state.withLock { state in
      // Nor when there was no loop to be had before: that has ended it.
      guard state.loop == nil, state.end == nil else { return false }
      state.loop = loop
      if case .join = command { state.gate.open() }
      state.commands.insert(command, at: 0)
      state.isNotified = true
      return true
    }
  }

  /// Joins with a membership that waited before; a second call does nothing.
  func join(as profile: Profile?) {
    post { state in
      guard !state.hasLeft, state.end == nil else { return nil }
      state.gate.open()
      return .join(profile)
    }
  }

  /// Takes an entry, or says why not. Its place is taken when this returns.
  func enqueue(_ entry: OutgoingEntry) throws(AdmissionError) {
    try post { (state) throws(AdmissionError) in
      try state.gate.admit(entry, now: .now()) ? .send(entry) : nil
    }
  }

  /// Takes a change of the activity, or says why not.
  func enqueue(_ change: ActivityChange) throws(AdmissionError) {
    try post { (state) throws(AdmissionError) in
      try state.gate.admit(change, now: .now())
      return .change(change)
    }
  }

  /// Takes what needs no leave.
  func enqueue(_ command: MembershipCommand) {
    post { _ in command }
  }

  /// Takes nothing more, and leaves what was joined.
  func leave() {
    post { state in
      state.gate.close()
      state.hasLeft = true
      return .leave
    }
  }

  /// Waits until all that was taken before is on the gateway's disk.
  ///
  /// - Throws: `EndReason` when it never will be; `CancellationError`.
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

  /// Waits until nothing more comes of it, or until the task is cancelled; not, when it was never joined.
  func finish() async {
    guard state.withLock({ $0.loop != nil || $0.end != nil }) else { return }
    // It fails only by being cancelled, which ends the waiting.
    _ = try? await completion.value()
  }

  // MARK: - The loop

  /// Gives out what waits, in its order.
  func takeCommands() -> [MembershipCommand] {
    state.withLock { state in
      var commands: [MembershipCommand] = []
      swap(&commands, &state.commands)
      state.isNotified = false
      return commands
    }
  }

  /// The session let this participant in.
  func joined(_ joined: Joined, now: MonotonicTime) {
    state.withLock { state in
      state.token = joined.token
      state.limits = joined.limits
      state.gate.use(joined.limits, now: now)
    }
  }

  /// So many bytes were let go of since the beginning.
  func released(_ bytes: Int) {
    state.withLock { $0.gate.released(bytes) }
  }

  /// All before that mark is on the gateway's disk.
  func reached(mark number: UInt64) {
    state.withLock { $0.marks[number] }?.resolve(.success(nil))
  }

  /// It is over, and nothing is taken any more.
  func ended(_ reason: EndReason) {
    state.withLock { state in
      state.gate.close()
      if state.end == nil { state.end = reason }
    }
  }

  /// Nothing more comes of it.
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

  // MARK: - Inside

  /// Puts what the closure answers at the end, under the lock that it was decided under, and announces it.
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

  /// Puts a mark behind all that was taken.
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
