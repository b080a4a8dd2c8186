import Glibc
import Platform
import Primitives

/// The time limit for waits in tests, far longer than a busy machine needs.
enum TestTimeout {
  /// The maximum time of one wait. It is longer under a sanitizer, because all code then takes many times as long.
  static let limit = Duration.seconds(hasSanitizer ? 300 : 30)
  /// True if the program contains the runtime of the thread sanitizer or the address sanitizer.
  private static let hasSanitizer = unsafe dlsym(nil, "__tsan_init") ?? dlsym(nil, "__asan_init") != nil
  /// The deadline of a wait that begins now.
  static var deadline: MonotonicTime { .now() + limit }

  /// Waits for a condition.
  static func wait(for what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = deadline
    while try await !condition() {
      guard .now() < deadline else { throw TimeoutError(waitingFor: what) }
      await Task.yield()
    }
  }
}

/// The error of a test whose condition was not met in time.
struct TimeoutError: Error {
  let waitingFor: String
}
