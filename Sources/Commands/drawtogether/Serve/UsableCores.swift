internal import CLinux

/// The number of cores that this process can use: the cores that the scheduler allows, or fewer if the CPU quota of a control
/// group (such as a container) is lower.
enum UsableCores {
  /// Returns the number of cores for this process; at least 1.
  static func ofThisProcess() -> Int {
    count(allowed: Int(clinux_allowed_cores()), groups: ControlGroups.ofThisProcess, read: ControlGroups.text)
  }

  /// Returns the number of cores from the kernel's files: `groups` is the text of `/proc/self/cgroup`, `read` returns the text of
  /// a file or nil. Fractions are rounded up.
  static func count(allowed: Int, groups: String, read: (String) -> String?) -> Int {
    let shares = ControlGroups.folders(of: "cpu", in: groups).compactMap { share(in: $0, read) }
    guard let least = shares.min() else { return max(1, allowed) }
    return max(1, min(allowed, Int(least.rounded(.up))))
  }

  /// Returns the CPU quota of a group in cores; nil without a quota.
  private static func share(in folder: String, _ read: (String) -> String?) -> Double? {
    let words: [Substring]
    if let limit = read("\(folder)/cpu.max") {
      words = limit.split { $0 == " " || $0 == "\n" }
    } else if let quota = read("\(folder)/cpu.cfs_quota_us"), let period = read("\(folder)/cpu.cfs_period_us")
    {
      words = (quota + " " + period).split { $0 == " " || $0 == "\n" }
    } else {
      return nil
    }
    // Without a quota, the first word is `max` in version 2 of control groups, and -1 in version 1.
    guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]), quota > 0, period > 0
    else { return nil }
    return quota / period
  }
}
