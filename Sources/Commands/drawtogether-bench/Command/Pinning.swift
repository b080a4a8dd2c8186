internal import Glibc

/// Keeps this process on one core, by `taskset`: Swift's Glibc has no call for it.
enum Pinning {
  private static let mark = "DRAWTOGETHER_BENCH_PINNED"

  /// Begins the same program anew under `taskset`, unless it is already; returns when there is no core to keep to.
  static func pin(_ options: BenchOptions, _ arguments: [String]) throws(BenchFailure) {
    guard let cpu = options.cpu, unsafe getenv(mark) == nil else { return }
    unsafe setenv(mark, "1", 1)
    let words = ["taskset", "-c", String(cpu), executable] + arguments
    let strings = unsafe words.map { unsafe strdup($0) } + [nil]
    unsafe execvp("taskset", strings)
    throw .noTaskset
  }

  /// The path of this program.
  static var executable: String {
    let path = unsafe realpath("/proc/self/exe", nil)
    guard let path = unsafe path else { return CommandLine.arguments[0] }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }
}

/// How many descriptors this process may have.
enum OpenFiles {
  /// Raises the limit as far as the system lets it.
  static func raiseLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
