internal import CLinux

/// How many cores this process can keep busy: those that the scheduler lets it run on, or fewer where its control
/// groups, a container's among them, give it less time than that.
enum UsableCores {
  /// For this process, as it stands; at least 1.
  static func ofThisProcess() -> Int {
    count(allowed: Int(clinux_allowed_cores()), groups: ControlGroups.ofThisProcess, read: ControlGroups.text)
  }

  /// The same from what the kernel says: `groups` is `/proc/self/cgroup`, and `read` gives a file's text, or `nil`
  /// where there is none. Half a core counts as one.
  static func count(allowed: Int, groups: String, read: (String) -> String?) -> Int {
    let shares = ControlGroups.folders(of: "cpu", in: groups).compactMap { share(in: $0, read) }
    guard let least = shares.min() else { return max(1, allowed) }
    return max(1, min(allowed, Int(least.rounded(.up))))
  }

  /// How many cores' time a group has; `nil` for as much as there is.
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
    // Without a limit it is "max" in version 2, and -1 in version 1.
    guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]), quota > 0, period > 0
    else { return nil }
    return quota / period
  }
}
