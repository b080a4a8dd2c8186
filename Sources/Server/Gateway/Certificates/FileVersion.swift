internal import Glibc

/// The attributes of a file. If they differ from the attributes at an earlier time, the file was replaced or changed. The
/// comparison does not read the content.
///
/// The attributes are read once a second. inotify is not used, because it watches only one directory entry. It would miss a
/// changed symbolic link further up the path (Kubernetes, certbot), and changes that another machine makes on a network file
/// system.
struct FileVersion: Equatable, Sendable {
  let device, inode: UInt64
  let length: Int64
  /// Times in nanoseconds since 1970: mtime and ctime. If the file is overwritten by a copy that keeps the mtime of its original,
  /// `changed` still differs.
  let modified, changed: Int64
}

extension FileVersion {
  /// Reads the version of the file at the path, following symbolic links. Returns nil if there is no file, or no permission to
  /// `stat` it.
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
