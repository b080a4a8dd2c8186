internal import Glibc

/// The control groups of this process (such as a container), from the kernel's files.
enum ControlGroups {
  /// The text of `/proc/self/cgroup`; empty without control groups.
  static var ofThisProcess: String { text(of: "/proc/self/cgroup") ?? "" }

  /// Returns the folders that contain the limits of a controller (such as `memory`), given the lines of `/proc/self/cgroup`. Each
  /// line names a group. The limits of the group and of all its parents apply, so all their folders are returned. The root folder
  /// `/sys/fs/cgroup` is always returned, because inside a container it can be the container's own group.
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

  /// Returns the text of a small file of the kernel; nil if it cannot be read.
  static func text(of path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
