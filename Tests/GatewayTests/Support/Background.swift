import Platform

/// A blocking call on a thread of its own.
final class Background: Sendable {
  private let outcome = Guarded<(any Error)?>(nil)
  private let thread = Guarded<SystemThread?>(nil)

  init(_ body: @escaping @Sendable () throws -> Void) throws {
    let started = try SystemThread(name: "test") {
      do {
        try body()
      } catch {
        self.outcome.withLock { $0 = error }
      }
    }
    thread.withLock { $0 = started }
  }

  /// Waits for the call. Throws the error of the call, if there is one.
  func wait() throws {
    thread.withLock { $0 }?.join()
    if let error = outcome.withLock({ $0 }) { throw error }
  }

  /// Runs all closures concurrently and waits for them.
  static func all(_ bodies: [@Sendable () throws -> Void]) throws {
    let started = try bodies.map { try Background($0) }
    for one in started { try one.wait() }
  }
}
