internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Platform

/// Files for contents that are too large for memory.
///
/// The files have no names, so the kernel frees a file when the last `Data` that maps it is released, and when the process ends
/// for any reason. Their mode is 0600, so only their owner could open them.
struct ContentFiles: Sendable {
  /// The folders in which a file may be created, in the order of the attempts.
  let folders: [String]

  /// The store of the process. It tries the folders `TMPDIR`, `/var/tmp` (which is rarely a RAM disk) and `/tmp`, in this order.
  static var standard: ContentFiles {
    let folder = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    return ContentFiles(folders: (folder.map { [$0] } ?? []) + ["/var/tmp", "/tmp"])
  }

  /// Copies content into a file. May block.
  ///
  /// - Returns: the copy, mapped into memory; nil when no writable folder has free space for twice the content.
  func store(_ content: Data) -> Data? {
    for folder in folders {
      if let stored = try? store(content, in: folder) { return stored }
    }
    return nil
  }

  private func store(_ content: Data, in folder: String) throws(SystemError) -> Data? {
    let file = try Self.unnamedFile(in: folder)
    var free: UInt64 = 0
    _ = try Self.check("fstatvfs", unsafe clinux_free_bytes(file.rawValue, &free))
    guard !content.isEmpty, UInt64(content.count) <= free / 2 else { return nil }
    let written = unsafe content.withUnsafeBytes { bytes in
      unsafe clinux_file_write(file.rawValue, bytes.baseAddress, bytes.count, 0)
    }
    _ = try Self.check("pwrite", written)
    // The mapping is private and writable. If a program changes the `Data` in place, the change stays in the program's memory and
    // does not reach the file.
    let mapping = unsafe mmap(
      nil, content.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.rawValue, 0)
    guard unsafe mapping != MAP_FAILED, let start = unsafe mapping else {
      throw SystemError("mmap", code: errno)
    }
    return unsafe Data(
      bytesNoCopy: start, count: content.count,
      deallocator: .custom { start, count in _ = unsafe munmap(start, count) })
  }

  /// Opens a new file without a name.
  static func unnamedFile(in folder: String) throws(SystemError) -> OwnedDescriptor {
    OwnedDescriptor(owning: try unsafe check("open", clinux_file_create_unnamed(folder)))
  }

  private static func check(_ call: StaticString, _ result: CInt) throws(SystemError) -> CInt {
    guard result >= 0 else { throw SystemError(call, code: -result) }
    return result
  }
}
