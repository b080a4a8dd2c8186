internal import Transport
internal import Wire

/// Where the threads that call a membership meet the loop that keeps it: what was taken waits here, in its order.
final class MembershipDesk: Sendable {
  /// What the loop is asked for.
  enum Order: Sendable {
    case join
    case leave
    case end
    case send(OutgoingEntry)
    case change(ActivityChange)
    case changeProfile(Profile)
    case setReading(Bool)
    /// Tell the waiter of that number when all before is on the gateway's disk.
    case mark(UInt64)
  }

  /// What is waited for.
  fileprivate enum Waiter {
    /// Somebody is about to wait.
    case coming
    /// Somebody was about to wait, and was cancelled before.
    case cancelled
    /// That all sent before is on the gateway's disk.
    case settling(CheckedContinuation<Void, any Error>)
    /// That nothing more comes.
    case finishing(CheckedContinuation<Void, Never>)
  }

  private struct State {
    var gate = SendGate(now: .now())
    var orders: [Order] = []
    /// Nil before `join`; then who is told of orders.
    var loop: ClientLoop?
    /// The loop knows that there are orders.
    var isAnnounced = false
    var token: Token?
    var limits = Limits()
    var end: EndReason?
    var isFinished = false
    var waiters: [UInt64: Waiter] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let state = Guarded(State())

  // MARK: - Any thread

  /// What proves who this participant is.
  var token: Token? { state.withLock { $0.token } }

  /// The limits in force.
  var limits: Limits { state.withLock { $0.limits } }

  /// Begins with an order, once; true when the loop has to take the membership on. `join` opens the gate, and comes before
  /// what was asked for earlier, such as a profile.
  func begin(_ order: Order, on loop: ClientLoop) -> Bool {
    state.withLock { state in
      guard state.loop == nil else { return false }
      state.loop = loop
      if case .join = order { state.gate.open() }
      state.orders.insert(order, at: 0)
      state.isAnnounced = true
      return true
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
      return .leave
    }
  }

  /// Waits until all that was taken before is on the gateway's disk.
  func settle() async throws {
    let number = nextWaiter()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        register(.settling(continuation), as: number)
      }
    } onCancel: {
      cancel(number)
    }
  }

  /// Waits until nothing more comes of it; not, when it was never joined.
  func finish() async {
    let number = nextWaiter()
    await withCheckedContinuation { register(.finishing($0), as: number) }
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
    let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
    if case .settling(let continuation) = waiter { continuation.resume() }
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
    let (waiters, reason) = state.withLock { state in
      var waiters: [UInt64: Waiter] = [:]
      swap(&waiters, &state.waiters)
      state.isFinished = true
      state.orders = []
      return (Array(waiters.values), state.end ?? .left)
    }
    for waiter in waiters { waiter.resume(endedBy: reason) }
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

  private func nextWaiter() -> UInt64 {
    state.withLock { state in
      state.lastWaiter += 1
      state.waiters[state.lastWaiter] = .coming
      return state.lastWaiter
    }
  }

  /// Has somebody wait, or go on at once when there is nothing to wait for.
  private func register(_ waiter: Waiter, as number: UInt64) {
    let outcome: Outcome = state.withLock { state in
      if case .cancelled = state.waiters.removeValue(forKey: number) { return .cancelled }
      guard let loop = state.loop else { return .nothingToWaitFor }
      if state.isFinished { return .over(state.end ?? .left) }
      if case .settling = waiter {
        if let end = state.end { return .over(end) }
        state.orders.append(.mark(number))
      }
      state.waiters[number] = waiter
      guard !state.isAnnounced, !state.orders.isEmpty else { return .waits(nil) }
      state.isAnnounced = true
      return .waits(loop)
    }
    switch outcome {
    case .waits(let loop): loop?.announce(self)
    case .nothingToWaitFor: waiter.resume()
    case .over(let reason): waiter.resume(endedBy: reason)
    case .cancelled: waiter.cancel()
    }
  }

  private enum Outcome {
    case waits(ClientLoop?)
    case nothingToWaitFor
    case over(EndReason)
    case cancelled
  }

  private func cancel(_ number: UInt64) {
    let waiter = state.withLock { state -> Waiter? in
      guard let waiter = state.waiters[number] else { return nil }
      state.waiters[number] = if case .coming = waiter { .cancelled } else { nil }
      return waiter
    }
    waiter?.cancel()
  }
}

extension MembershipDesk.Waiter {
  fileprivate func resume() {
    switch self {
    case .settling(let continuation): continuation.resume()
    case .finishing(let continuation): continuation.resume()
    case .coming, .cancelled: break
    }
  }

  fileprivate func resume(endedBy reason: EndReason) {
    switch self {
    case .settling(let continuation): continuation.resume(throwing: reason)
    case .finishing(let continuation): continuation.resume()
    case .coming, .cancelled: break
    }
  }

  fileprivate func cancel() {
    switch self {
    case .settling(let continuation): continuation.resume(throwing: CancellationError())
    case .finishing(let continuation): continuation.resume()
    case .coming, .cancelled: break
    }
  }
}
