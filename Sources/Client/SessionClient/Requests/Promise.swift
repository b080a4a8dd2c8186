internal import Platform

/// What something comes to, told once to everybody who waits for it.
final class Promise<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Result<Value, SessionClientError>, Never>

  private struct State {
    var result: Result<Value, SessionClientError>?
    var waiters: [UInt64: Waiter] = [:]
    /// Who was cancelled before they came to wait.
    var cancelled: Set<UInt64> = []
    var lastWaiter: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Tells the result; the first one counts.
  ///
  /// - Returns: whether this was the first.
  @discardableResult
  func resolve(_ result: Result<Value, SessionClientError>) -> Bool {
    let waiters: [Waiter]? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters ?? [] { waiter.resume(returning: result) }
    return waiters != nil
  }

  /// Waits for the result. Whose task is cancelled waits no longer; the others do.
  ///
  /// - Throws: the failure, or `cancelled`.
  func value() async throws(SessionClientError) -> Value {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let known: Result<Value, SessionClientError>? = state.withLock { state in
          if let result = state.result { return result }
          if state.cancelled.remove(number) != nil { return .failure(.cancelled) }
          state.waiters[number] = waiter
          return nil
        }
        if let known { waiter.resume(returning: known) }
      }
    } onCancel: {
      let waiter: Waiter? = state.withLock { state in
        if let waiter = state.waiters.removeValue(forKey: number) { return waiter }
        if state.result == nil { state.cancelled.insert(number) }
        return nil
      }
      waiter?.resume(returning: .failure(.cancelled))
    }
    return try result.get()
  }

  /// The result, if there is one yet.
  var result: Result<Value, SessionClientError>? { state.withLock { $0.result } }
}
