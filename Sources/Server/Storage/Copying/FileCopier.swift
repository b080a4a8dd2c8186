internal import CLinux
internal import Glibc
internal import Platform

/// Copies bytes between files. Leaves enough free space, disk time and memory for a gateway on the same machine. Not `Sendable`:
/// only one thread uses it.
final class FileCopier {
  /// The maximum number of bytes of one copy operation in the kernel.
  private static let piece = 8 << 20
  /// The maximum number of bytes of one read and write, if the kernel cannot copy.
  private static let readPiece = 1 << 20
  /// The number of copied bytes after which the target is synced. A single sync at the end would write all bytes in one burst,
  /// and the syncs of other processes would wait for it.
  private static let burst: UInt64 = 32 << 20
  /// The file length below which several files are synced together.
  private static let small: UInt64 = 1 << 18

  /// The number of copied bytes.
  private(set) var bytes: UInt64 = 0

  /// The bytes of small files that are not synced yet.
  private var unsynced: UInt64 = 0

  private let target: DataFolder
  /// The number of bytes that must stay free in the target's file system.
  private let reserve: UInt64

  init(to target: DataFolder, reserve: UInt64) {
    self.target = target
    self.reserve = reserve
  }

  /// Copies the first `count` bytes of a file to an empty one.
  /// - Throws: `CopyError`. If the source has fewer bytes, the error is `CopyError.source` with ENODATA.
  func copy(
    _ source: borrowing OwnedDescriptor, to file: borrowing OwnedDescriptor, count: UInt64
  ) throws(CopyError) {
    var (offset, synced): (UInt64, UInt64) = (0, 0)
    var room: [UInt8] = []
    while offset < count {
      let wanted = Int(min(count - offset, UInt64(Self.piece)))
      try checkRoom(for: wanted)
      let copied = try copy(source.rawValue, file.rawValue, at: offset, wanted, &room)
      offset += UInt64(copied)
      bytes += UInt64(copied)
      guard offset - synced >= Self.burst || (offset == count && count >= Self.small) else { continue }
      let status = clinux_file_sync_data(file.rawValue)
      guard status == 0 else { throw .target(StorageError(.sync, code: -status)) }
      // The call removes the copied bytes from the page cache, so that more memory is left for the gateway. If the call fails,
      // the copy is still correct.
      _ = clinux_file_forget(file.rawValue)
      synced = offset
    }
    guard count < Self.small else { return }
    unsynced += count
    guard unsynced >= Self.burst else { return }
    do throws(StorageError) {
      try target.syncAll()
    } catch {
      throw .target(error)
    }
    unsynced = 0
  }

  /// Throws if the next bytes would use space that must stay free.
  func checkRoom(for count: Int) throws(CopyError) {
    guard reserve > 0 else { return }
    let free: UInt64
    do throws(StorageError) {
      free = try target.freeBytes()
    } catch {
      throw .target(error)
    }
    guard free >= UInt64(count), free - UInt64(count) >= reserve else { throw .reserve(free: free) }
  }

  /// Copies up to `count` bytes, at least one, within the kernel if possible.
  private func copy(
    _ source: CInt, _ file: CInt, at offset: UInt64, _ count: Int, _ room: inout [UInt8]
  ) throws(CopyError) -> Int {
    if room.isEmpty {
      let copied = clinux_file_copy(source, file, Int64(offset), count)
      if copied > 0 { return Int(copied) }
      let error = StorageError(.writeCopy, code: CInt(clamping: -copied))
      if error.isFull { throw .target(error) }
      // The kernel's copy call failed or copied nothing, and does not report whether the source or the target is the cause.
      // Reading and writing the bytes separately shows the cause. It also completes the copy on file systems where only the copy
      // call fails: on some, it returns 0 before the end of a file.
      room = [UInt8](repeating: 0, count: Self.readPiece)
    }
    let wanted = min(count, room.count)
    let read = unsafe clinux_file_read(source, &room, wanted, Int64(offset))
    guard read > 0 else {
      throw .source(StorageError(.readContent, code: read < 0 ? CInt(clamping: -read) : ENODATA))
    }
    let status = unsafe clinux_file_write(file, room, Int(read), Int64(offset))
    guard status == 0 else { throw .target(StorageError(.writeCopy, code: -status)) }
    return Int(read)
  }
}
