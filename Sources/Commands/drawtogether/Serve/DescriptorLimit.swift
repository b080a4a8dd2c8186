internal import Glibc

/// The limit of open files and sockets of this process (RLIMIT_NOFILE).
enum DescriptorLimit {
  /// The hard limit; nil if the system does not report it.
  static var maximum: Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_max)
  }

  /// Raises the soft limit to the hard limit. The usual limit of 1,024 in a shell is meant for programs that use `select`.
  static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < limit.rlim_max
    else { return }
    limit.rlim_cur = limit.rlim_max
    // If the limit cannot be raised, the gateway refuses connections beyond the limit. A warning at the start reports the low
    // limit.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
