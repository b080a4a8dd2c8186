internal import Glibc

/// Clocks of the kernel, in nanoseconds.
enum Clock {
  /// The machine's, which never goes back.
  static func now() -> UInt64 { read(CLOCK_MONOTONIC) ?? 0 }

  /// What this thread has used of a core.
  static func ofThread() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) ?? 0 }

  /// What this process has used of the cores.
  static func ofThisProcess() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) ?? 0 }

  /// What a process has used, threads that ended too; nil when there is none. /proc counts in hundredths of a second.
  static func ofProcess(_ process: Int32) -> UInt64? { read(~process << 3 | 2) }

  private static func read(_ clock: clockid_t) -> UInt64? {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
