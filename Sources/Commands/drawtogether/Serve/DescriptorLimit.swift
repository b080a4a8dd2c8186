internal import Glibc

/// How many files and sockets this process may have open at once (RLIMIT_NOFILE).
enum DescriptorLimit {
  /// The most that the process may allow itself; `nil` when the system does not say.
  static var most: Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_max)
  }

  /// Allows the process that many. A shell's usual 1,024 is for programs that wait by `select`.
  static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < limit.rlim_max
    else { return }
    limit.rlim_cur = limit.rlim_max
    // Without it fewer connections are taken, and those that are too many turned away: that is said at the start.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
