internal import Glibc

/// The attributes of a file that show a replacement or a change. Reading the content is not necessary.
///
/// The attributes are read once a second. inotify is not used, because it watches a directory entry only. So it misses a changed
/// link further up the path (Kubernetes, certbot), and changes by another machine on a network file system.
struct FileVersion: Equatable, Sendable {
  let device, inode: UInt64
  let length: Int64
  /// The times in nanoseconds since 1970. `changed` detects copies that set `modified` back.
  let modified, changed: Int64
}

extension FileVersion {
  /// The version of the file at the path, following links; nil if there is no file, or no permission to examine it.
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
