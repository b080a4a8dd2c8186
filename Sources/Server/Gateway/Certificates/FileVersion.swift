internal import Glibc

/// The properties of a file that show a replacement or a change without reading the content.
///
/// They are read once a second. inotify watches a directory entry, so it misses a link further up the path that is
/// changed (Kubernetes, certbot), and changes by another machine on a network file system.
struct FileVersion: Equatable, Sendable {
  let device, inode: UInt64
  let length: Int64
  /// The times in nanoseconds since 1970. `changed` detects copies that set `modified` back.
  let modified, changed: Int64
}

extension FileVersion {
  /// The version of the file at the path, with links followed; nil if there is none, or none that may be examined.
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
