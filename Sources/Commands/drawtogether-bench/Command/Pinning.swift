internal import Glibc

/// Pins this process to a core by running it under `taskset`, because Swift's Glibc module lacks the system call.
enum Pinning {
  private static let marker = "DRAWTOGETHER_BENCH_PINNED"

  /// Restarts the program under `taskset`. Does nothing if the program already runs under `taskset`, or if no core is set.
  static func pin(_ options: BenchOptions, _ arguments: [String]) throws(BenchError) {
    guard let cpu = options.cpu, unsafe getenv(marker) == nil else { return }
    unsafe setenv(marker, "1", 1)
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

/// The limit of open files of this process.
enum OpenFiles {
  /// Raises the soft limit to the hard limit.
  static func raiseLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
