import Glibc
import Platform
package import Primitives

/// The time after which a test gives up waiting: far longer than anything takes on a busy machine.
package enum TestTimeout {
  /// Under a sanitizer, everything takes many times as long.
  package static let limit = Duration.seconds(hasSanitizer ? 300 : 30)
  /// True with the thread or the address sanitizer, whose runtimes are then part of the program.
  private static let hasSanitizer = unsafe dlsym(nil, "__tsan_init") ?? dlsym(nil, "__asan_init") != nil
  /// The end of a wait that starts now.
  package static var deadline: MonotonicTime { .now() + limit }
}
