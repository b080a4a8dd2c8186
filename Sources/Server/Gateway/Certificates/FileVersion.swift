internal import Glibc

/// What tells that another file is at a path, or another content in it, without reading it.
///
/// Asked for once a second, and not by inotify: that watches a directory entry, so it is blind to a link further up that
/// comes to lead elsewhere (Kubernetes, certbot), and to what another machine does on a network file system.
struct FileMark: Equatable, Sendable {
  let device, inode: UInt64
  let length: Int64
  /// In nanoseconds since 1970. The time of the last change is there for copies that set the other one back.
  let modified, changed: Int64
}

extension FileMark {
  /// What is at the path now, links followed; `nil` when nothing is, or nothing that may be looked at.
  init?(of path: String) {
    var found = stat()
    guard unsafe stat(path, &found) == 0 else { return nil }
    device = UInt64(found.st_dev)
    inode = UInt64(found.st_ino)
    length = Int64(found.st_size)
    modified = Self.nanoseconds(found.st_mtim)
    changed = Self.nanoseconds(found.st_ctim)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
