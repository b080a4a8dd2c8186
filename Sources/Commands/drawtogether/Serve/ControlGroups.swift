internal import Glibc

/// The control groups that this process is in, a container's among them, as the kernel tells of them in files.
enum ControlGroups {
  /// `/proc/self/cgroup`; empty where there are none.
  static var ofThisProcess: String { text(of: "/proc/self/cgroup") ?? "" }

  /// Where a controller's limits may be, by the lines of `/proc/self/cgroup`: those of each group and of the groups around it,
  /// which hold for it too. Inside a container the whole tree can begin at its own group, whatever the line says.
  static func folders(of controller: String, in groups: String) -> [String] {
    groups.split(separator: "\n").flatMap { folders(of: controller, line: $0) }
  }

  private static func folders(of controller: String, line: Substring) -> [String] {
    let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return [] }
    guard parts[1].isEmpty || parts[1].split(separator: ",").contains(Substring(controller)) else {
      return []
    }
    var folder = "/sys/fs/cgroup" + (parts[1].isEmpty ? "" : "/\(controller)")
    var found = [folder]
    for name in parts[2].split(separator: "/") {
      folder += "/\(name)"
      found.append(folder)
    }
    return found
  }

  /// A small file of the kernel's; `nil` when it cannot be read.
  static func text(of path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
