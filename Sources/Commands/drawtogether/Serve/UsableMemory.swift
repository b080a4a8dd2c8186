internal import Glibc

/// How many bytes of memory this process may have: the machine's, or fewer where its control groups give it less.
enum UsableMemory {
  /// For this process, as it stands; `nil` when nobody says.
  static func ofThisProcess() -> Int? {
    let (pages, page) = (sysconf(CInt(_SC_PHYS_PAGES)), sysconf(CInt(_SC_PAGESIZE)))
    return bytes(
      machine: pages > 0 && page > 0 ? pages * page : nil, groups: ControlGroups.ofThisProcess,
      read: ControlGroups.text)
  }

  /// The same from what the kernel says: `groups` is `/proc/self/cgroup`, and `read` gives a file's text, or `nil`
  /// where there is none.
  static func bytes(machine: Int?, groups: String, read: (String) -> String?) -> Int? {
    // In version 2 it is "max" without a limit; in version 1 a number beyond any machine's.
    let limits = ControlGroups.folders(of: "memory", in: groups).compactMap { folder in
      (read("\(folder)/memory.max") ?? read("\(folder)/memory.limit_in_bytes"))
        .flatMap { Int($0.prefix { $0 != "\n" }) }
    }
    return (limits + [machine].compactMap(\.self)).min()
  }
}
