internal import Platform

/// Runs blocking work on a separate thread, so that the main actor can handle signals.
enum BackgroundThread {
  /// Runs `body` on a new thread and returns its result.
  ///
  /// - Throws: errors of `body`, and `CommandError.refused` if the thread cannot be started.
  static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () throws(CommandError) -> Value
  ) async throws(CommandError) -> Value {
    let result: Result<Value, CommandError> = await withCheckedContinuation { continuation in
      do throws(SystemError) {
        let thread = try SystemThread(name: name) {
          do throws(CommandError) {
            continuation.resume(returning: .success(try body()))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
        thread.detach()
      } catch {
        continuation.resume(returning: .failure(.refused("a thread cannot be started (\(error))")))
      }
    }
    return try result.get()
  }
}
