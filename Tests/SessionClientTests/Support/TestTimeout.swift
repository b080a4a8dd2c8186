import Glibc
import Platform
import Primitives

/// How long a test waits for something before it gives up: far longer than it takes on a busy machine.
enum TestTimeout {
  /// Under a sanitizer everything takes many times as long.
  static let limit = Duration.seconds(hasSanitizer ? 300 : 30)
  /// Whether the thread or the address sanitizer was built in: their runtimes are part of the program then.
  private static let hasSanitizer = unsafe dlsym(nil, "__tsan_init") ?? dlsym(nil, "__asan_init") != nil
  /// The moment at which patience that begins now is over.
  static var deadline: MonotonicTime { .now() + limit }

  /// Waits until something holds that comes unasked.
  static func wait(for what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = deadline
    while try await !condition() {
      guard .now() < deadline else { throw TimeoutError(waitingFor: what) }
      await Task.yield()
    }
  }
}

/// A test waited for something that did not come.
struct TimeoutError: Error {
  let waitingFor: String
}
