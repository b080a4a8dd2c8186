internal import Glibc

/// The memory that this process can use: the memory of the machine, or less if a control group has a lower limit.
enum UsableMemory {
  /// Returns the number of bytes for this process; nil if unknown.
  static func ofThisProcess() -> Int? {
    let (pages, page) = (sysconf(CInt(_SC_PHYS_PAGES)), sysconf(CInt(_SC_PAGESIZE)))
    return bytes(
      machine: pages > 0 && page > 0 ? pages * page : nil, groups: ControlGroups.ofThisProcess,
      read: ControlGroups.text)
  }

  /// Returns the number of bytes from the kernel's files: `groups` is the text of `/proc/self/cgroup`, `read` returns the text of
  /// a file or nil.
  static func bytes(machine: Int?, groups: String, read: (String) -> String?) -> Int? {
    // No limit is "max" in version 2, and in version 1 a number larger than any memory.
    let limits = ControlGroups.folders(of: "memory", in: groups).compactMap { folder in
      (read("\(folder)/memory.max") ?? read("\(folder)/memory.limit_in_bytes"))
        .flatMap { Int($0.prefix { $0 != "\n" }) }
    }
    return (limits + [machine].compactMap(\.self)).min()
  }
}
