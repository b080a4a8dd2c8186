import Glibc
import Platform
package import Primitives

/// The time after which a test stops waiting and fails. It is far longer than any wait on a busy machine.
package enum TestTimeout {
  /// The maximum time of a wait. It is ten times as long if the process runs with a sanitizer, which slows the process down.
  package static let limit = Duration.seconds(hasSanitizer ? 300 : 30)
  /// True if the runtime of the thread sanitizer or the address sanitizer is linked into the process.
  private static let hasSanitizer = unsafe dlsym(nil, "__tsan_init") ?? dlsym(nil, "__asan_init") != nil
  /// A short limit in seconds, for a test that waits until a limit of the gateway is exceeded. The earlier steps of the test must
  /// not take as long, even on a busy machine.
  package static let briefSeconds = hasSanitizer ? 10 : 3
  /// The end of a wait that starts now.
  package static var deadline: MonotonicTime { .now() + limit }
}
