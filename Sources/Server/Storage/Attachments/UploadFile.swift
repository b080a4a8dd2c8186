internal import CLinux
internal import Glibc
internal import Platform

/// The file of an upload, which grows at its end, and the running digest of its bytes.
/// Not `Sendable`: it belongs to one actor. The file is closed by `finish`, or with this object.
package final class UploadFile {
  /// The bytes that are read at a time.
  private static let readLength = 1 << 18

  /// Nil while parked, and after `finish`.
  private var descriptor: OwnedDescriptor?
  private var digest = RunningDigest(.sha256)
  private var marked: (offset: UInt64, digest: RunningDigest)

  /// True when all received bytes, and the length of the file, are on the disk.
  private(set) var isSynced: Bool
  /// True when the file's name is on the disk.
  var isNameSynced = false

  /// The number of received bytes, which is the offset of the next ones.
  package private(set) var offset: UInt64 = 0

  /// Creates an upload with an empty file.
  init(creating descriptor: consuming OwnedDescriptor) {
    self.descriptor = consume descriptor
    marked = (0, RunningDigest(.sha256))
    // An empty file has no bytes to lose.
    isSynced = true
  }

  /// Continues the file of an earlier upload, which is read once for its digest.
  convenience init(continuing descriptor: consuming OwnedDescriptor) throws(StorageError) {
    self.init(creating: descriptor)
    let raw = try openDescriptor(for: .openUpload)
    // Anything but a regular file is refused before a byte is read.
    try StorageError.check(.openUpload, clinux_file_length(raw))
    var bytes = [UInt8](repeating: 0, count: Self.readLength)
    while true {
      let count = try StorageError.check(
        .openUpload, unsafe clinux_file_read(raw, &bytes, bytes.count, Int64(offset)))
      digest.update(bytes.span.extracting(first: Int(count)))
      offset += UInt64(count)
      if count < bytes.count { break }
    }
    isSynced = false
    mark()
  }

  /// Appends bytes: all or, if it throws, none.
  package func append(_ bytes: Span<UInt8>) throws(StorageError) {
    let raw = try openDescriptor(for: .writeUpload)
    isSynced = false
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe clinux_file_write(raw, bytes.baseAddress, bytes.count, Int64(offset))
    }
    guard status == 0 else {
      // A part may have been written. If this fails too, `finish` tries it again.
      _ = clinux_file_truncate(raw, Int64(offset))
      throw StorageError(.writeUpload, code: -status)
    }
    digest.update(bytes)
    offset += UInt64(bytes.count)
  }

  /// Records the offset as the beginning of a piece. Before the first call, that is the offset at which the file was
  /// opened.
  package func mark() {
    marked = (offset, digest.copy())
  }

  /// Removes the bytes that were appended since the mark. The mark stays.
  package func rollBack() throws(StorageError) {
    let raw = try openDescriptor(for: .rollBackUpload)
    isSynced = false
    try StorageError.check(.rollBackUpload, clinux_file_truncate(raw, Int64(marked.offset)))
    offset = marked.offset
    digest = marked.digest.copy()
  }

  /// Waits until all received bytes are on the disk, but not until the file's name is.
  func sync() throws(StorageError) {
    try StorageError.check(.sync, clinux_file_sync_data(try openDescriptor(for: .sync)))
    isSynced = true
  }

  /// Ends the upload. Nothing can be appended afterwards.
  /// - Parameter syncs: true to wait until the bytes are on the disk.
  /// - Returns: the SHA-256 of all bytes, as 64 lowercase hexadecimal digits.
  /// - Throws: `StorageError`; the file is then still open.
  package func finish(syncs: Bool) throws(StorageError) -> String {
    let raw = try openDescriptor(for: .finishUpload)
    if try StorageError.check(.finishUpload, clinux_file_length(raw)) != Int64(offset) {
      try StorageError.check(.finishUpload, clinux_file_truncate(raw, Int64(offset)))
    }
    if syncs { try StorageError.check(.finishUpload, clinux_file_sync(raw)) }
    descriptor = nil
    return SHA256Digest(finishing: digest.copy()).description
  }

  /// Closes the file while no client writes. `AttachmentFolder.resume` opens it again.
  package func park() {
    descriptor = nil
  }

  /// True if the file is closed, so that it has to be opened before a write.
  package var isParked: Bool { descriptor == nil }

  /// Continues with the same file, opened again. Bytes of a failed write behind the offset are cut off.
  func resume(with opened: consuming OwnedDescriptor) throws(StorageError) {
    let length = try StorageError.check(.openUpload, clinux_file_length(opened.rawValue))
    guard length >= Int64(offset) else { throw StorageError(.openUpload, code: ENODATA) }
    if length > Int64(offset) {
      isSynced = false
      try StorageError.check(.openUpload, clinux_file_truncate(opened.rawValue, Int64(offset)))
    }
    descriptor = consume opened
  }

  private func openDescriptor(for operation: StorageError.Operation) throws(StorageError) -> CInt {
    guard let raw = descriptor?.rawValue else { throw StorageError(operation, code: EBADF) }
    return raw
  }
}
