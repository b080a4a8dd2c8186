internal import Platform
internal import Primitives
internal import Wire

/// Where the threads that call a membership meet the loop that keeps it: what was taken waits here, in its order.
final class MembershipDesk: Sendable {
  /// What the loop is asked for.
  enum Order: Sendable {
    case waitToJoin
    /// Joins; with a profile, that replaces the one given at the start.
    case join(Profile?)
    case leave
    case end
    case send(OutgoingEntry)
    case change(ActivityChange)
    case changeProfile(Profile)
    case setReading(Bool)
    /// Tell the waiter of that number when all before is on the gateway's disk.
    case mark(UInt64)
  }

  private struct State {
    var gate = SendGate(now: .now())
    var orders: [Order] = []
    /// Nil before `waitToJoin` and `join`; then the loop that carries out the orders.
    var loop: ClientLoop?
    /// The loop knows that there are orders.
    var isAnnounced = false
    var token: Token?
    var limits = Limits()
    var end: EndReason?
    var isFinished = false
    var hasLeft = false
    /// Who waits for which mark: nil once all before it is on the disk, else why it never will be.
    var marks: [UInt64: Outcome<EndReason?>] = [:]
    var lastMark: UInt64 = 0
  }

  private let state = Guarded(State())
  /// Nothing more comes of it.
  private let over = Outcome<Void>()

  // MARK: - Any thread

  /// What proves who this participant is.
  var token: Token? { state.withLock { $0.token } }

  /// The limits in force.
  var limits: Limits { state.withLock { $0.limits } }

  /// Begins with an order, once; true when the loop has to take the membership on. `join` opens the gate, and comes before
  /// what was asked for earlier, such as a profile.
  func begin(_ order: Order, on loop: ClientLoop) -> Bool {
    state.withLock { state in
      // Nor when there was no loop to be had before: that has ended it.
      guard state.loop == nil, state.end == nil else { return false }
      state.loop = loop
      if case .join = order { state.gate.open() }
      state.orders.insert(order, at: 0)
      state.isAnnounced = true
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
  func take(_ entry: OutgoingEntry) throws(SendRefusal) {
    try post { (state) throws(SendRefusal) in
      try state.gate.admit(entry, now: .now()) ? .send(entry) : nil
    }
  }

  /// Takes a change of the activity, or says why not.
  func take(_ change: ActivityChange) throws(SendRefusal) {
    try post { (state) throws(SendRefusal) in
      try state.gate.admit(change, now: .now())
      return .change(change)
    }
  }

  /// Takes what needs no leave.
  func put(_ order: Order) {
    post { _ in order }
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
    let outcome = Outcome<EndReason?>()
    let known: EndReason?
    switch mark(outcome) {
    case .nothingToWaitFor: return
    case .over(let reason): throw reason
    case .waits(let number):
      defer { state.withLock { $0.marks[number] = nil } }
      do throws(RequestFailure) {
        known = try await outcome.value()
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
    _ = try? await over.value()
  }

  // MARK: - The loop

  /// Gives out what waits, in its order.
  func takeOrders() -> [Order] {
    state.withLock { state in
      var orders: [Order] = []
      swap(&orders, &state.orders)
      state.isAnnounced = false
      return orders
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
    state.withLock { $0.marks[number] }?.settle(.success(nil))
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
      state.orders = []
      defer { state.marks = [:] }
      return (Array(state.marks.values), state.end ?? .left)
    }
    for mark in marks { mark.settle(.success(reason)) }
    over.settle(.success(()))
  }

  // MARK: - Inside

  /// Puts what the closure answers at the end, under the lock that it was decided under, and announces it.
  private func post<Failure>(
    _ decide: (inout State) throws(Failure) -> Order?
  ) throws(Failure) {
    let loop: ClientLoop? = try state.withLock { (state) throws(Failure) in
      guard let order = try decide(&state), !state.isFinished else { return nil }
      state.orders.append(order)
      guard !state.isAnnounced, let loop = state.loop else { return nil }
      state.isAnnounced = true
      return loop
    }
    loop?.announce(self)
  }

  private enum Marking {
    case waits(UInt64)
    case nothingToWaitFor
    case over(EndReason)
  }

  /// Puts a mark behind all that was taken.
  private func mark(_ outcome: Outcome<EndReason?>) -> Marking {
    var marking = Marking.nothingToWaitFor
    post { state in
      if let end = state.end ?? (state.isFinished ? .left : nil) {
        marking = .over(end)
        return nil
      }
      guard state.loop != nil else { return nil }
      state.lastMark += 1
      state.marks[state.lastMark] = outcome
      marking = .waits(state.lastMark)
      return .mark(state.lastMark)
    }
    return marking
  }
}
