internal import Platform

/// Work that may take its time or wait for somebody, on a thread of its own: the main actor is to hear of signals.
enum OwnThread {
  /// Does something there and returns what comes of it.
  ///
  /// - Throws: what `body` throws, and `JoinFailure.refused` when there is no thread to be had.
  static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () throws(JoinFailure) -> Value
  ) async throws(JoinFailure) -> Value {
    let result: Result<Value, JoinFailure> = await withCheckedContinuation { continuation in
      do throws(SystemError) {
        let thread = try SystemThread(name: name) {
          do throws(JoinFailure) {
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
