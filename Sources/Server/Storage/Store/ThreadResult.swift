internal import Platform

/// The result of the work of a thread. An actor reads it when the work is done.
final class ThreadResult<Value: Sendable>: Sendable {
  private let value: Guarded<Value?> = Guarded(nil)

  init() {}

  /// The result; nil until the thread has set it.
  var result: Value? { value.withLock { $0 } }

  /// Sets the result. The thread calls this function before it ends.
  func set(_ result: Value) {
    value.withLock { $0 = result }
  }
}
