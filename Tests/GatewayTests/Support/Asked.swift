import Testing
import Platform

/// A blocking call on a thread of its own, with a result.
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

  /// Waits for the result, or throws the error of the call.
  func wait() throws -> Answer {
    try thread.withLock { $0 }?.wait()
    return try #require(answer.withLock { $0 })
  }
}
