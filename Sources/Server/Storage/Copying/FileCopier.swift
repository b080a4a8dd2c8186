internal import CLinux
internal import Glibc
internal import Platform

/// Copies bytes from file to file and leaves room, disk time and memory to those who use them beside.
///
/// Not `Sendable`: one thread has it.
final class FileCopier {
  /// How much is copied at a time.
  private static let piece = 8 << 20
  /// How much is read and written at a time where the kernel cannot copy.
  private static let readPiece = 1 << 20
  /// After so many bytes what was written is brought to the disk: else all of it would go there at once in the end, and
  /// whoever syncs meanwhile would wait for it.
  private static let burst: UInt64 = 32 << 20
  /// Files shorter than this are not brought there one by one, but together when they are a burst.
  private static let small: UInt64 = 1 << 18

  /// How many bytes were copied.
  private(set) var bytes: UInt64 = 0

  /// How much there is of small files that was not brought to the disk yet.
  private var unsynced: UInt64 = 0

  private let target: DataFolder
  /// How many bytes have to stay free in the target's file system.
  private let reserve: UInt64

  init(to target: DataFolder, reserve: UInt64) {
    self.target = target
    self.reserve = reserve
  }

  /// Copies the first `count` bytes of a file to an empty one.
  ///
  /// - Throws: `CopyError`; ENODATA of the source when it has fewer.
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
      // Who serves needs the memory more. A hint, and no matter when it is refused.
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

  /// Throws when so many bytes more would take what has to stay free.
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

  /// Copies up to `count` bytes, at least one; within the kernel where it can.
  private func copy(
    _ source: CInt, _ file: CInt, at offset: UInt64, _ count: Int, _ room: inout [UInt8]
  ) throws(CopyError) -> Int {
    if room.isEmpty {
      let copied = clinux_file_copy(source, file, Int64(offset), count)
      if copied > 0 { return Int(copied) }
      let error = StorageError(.writeCopy, code: CInt(clamping: -copied))
      if error.isFull { throw .target(error) }
      // Whatever else it was, the kernel does not say which of the two failed: who reads and writes learns that, and copies
      // where only this call cannot. Some file systems say 0 of files that are not at their end.
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
