internal import Glibc

/// Clocks of the kernel, in nanoseconds.
enum Clock {
  /// Returns the monotonic clock.
  static func now() -> UInt64 { read(CLOCK_MONOTONIC) ?? 0 }

  /// Returns the CPU time of this thread.
  static func ofThread() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) ?? 0 }

  /// Returns the CPU time of this process.
  static func ofThisProcess() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) ?? 0 }

  /// Returns the CPU time of a process, including ended threads; nil if the process does not exist. This clock is more precise
  /// than /proc, which counts in hundredths of a second.
  static func ofProcess(_ process: Int32) -> UInt64? { read(~process << 3 | 2) }

  private static func read(_ clock: clockid_t) -> UInt64? {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
