internal import Glibc

/// The memory that this process can use: the memory of the machine, or less if a control group has a lower limit.
enum UsableMemory {
  /// Returns the number of bytes of memory that this process can use; nil if the number is unknown.
  static func ofThisProcess() -> Int? {
    let (pages, page) = (sysconf(CInt(_SC_PHYS_PAGES)), sysconf(CInt(_SC_PAGESIZE)))
    return bytes(
      machine: pages > 0 && page > 0 ? pages * page : nil, groups: ControlGroups.ofThisProcess,
      read: ControlGroups.text)
  }

  /// Returns the number of bytes that the process can use: `machine`, or the lowest limit of a control group if that is lower.
  /// `groups` is the text of `/proc/self/cgroup`; `read` returns the text of a file, or nil.
  static func bytes(machine: Int?, groups: String, read: (String) -> String?) -> Int? {
    // For a control group without a limit, the file contains "max" in version 2, and a number above any memory size in version 1.
    let limits = ControlGroups.folders(of: "memory", in: groups).compactMap { folder in
      (read("\(folder)/memory.max") ?? read("\(folder)/memory.limit_in_bytes"))
        .flatMap { Int($0.prefix { $0 != "\n" }) }
    }
    return (limits + [machine].compactMap(\.self)).min()
  }
}
