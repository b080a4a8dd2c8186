internal import Platform

/// A result that becomes available later, for any number of waiting tasks.
final class Promise<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Result<Value, SessionClientError>, Never>

  private struct State {
    var result: Result<Value, SessionClientError>?
    var waiters: [UInt64: Waiter] = [:]
    /// The numbers of waiters that were cancelled before their continuation was stored.
    var cancelled: Set<UInt64> = []
    var lastWaiter: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Sets the result. Only the first call has an effect.
  ///
  /// - Returns: true for the first call.
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

  /// Waits for the result. A cancelled task stops waiting; other tasks continue to wait.
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

  /// The result; nil while there is none.
  var result: Result<Value, SessionClientError>? { state.withLock { $0.result } }
}
