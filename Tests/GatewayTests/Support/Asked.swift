import Testing
import Platform

/// A blocking call that returns a result, on a thread of its own.
final class Asked<Answer: Sendable>: Sendable {
  private let answer = Guarded<Answer?>(nil)
  private let thread = Guarded<Background?>(nil)

  init(_ question: @escaping @Sendable () throws -> Answer) throws {
    let started = try Background {
      let given = try question()
      self.answer.withLock { $0 = given }
    }
    thread.withLock { $0 = started }
  }

  /// True when the result is available.
  var isAnswered: Bool { answer.withLock { $0 != nil } }

  /// Waits for the call. Returns its result, or throws its error.
  func wait() throws -> Answer {
    try thread.withLock { $0 }?.wait()
    return try #require(answer.withLock { $0 })
  }
}
