internal import CLinux
internal import Glibc
internal import Platform

/// The append-only file of an upload, and the digest of its bytes. Not `Sendable`: it belongs to one actor. `finish`
/// closes the file; the deinitializer closes it too.
package final class UploadFile {
  /// The number of bytes that are read at a time.
  private static let readLength = 1 << 18

  /// The descriptor of the file; nil after `park` until `resume`, and after `finish`.
  private var descriptor: OwnedDescriptor?
  private var digest = RunningDigest(.sha256)
  private var marked: (offset: UInt64, digest: RunningDigest)

  /// True when all received bytes, and the length of the file, are on the disk.
  private(set) var isSynced: Bool
  /// True when the file's name is on the disk.
  var isNameSynced = false

  /// The number of received bytes. The next bytes are appended at this offset.
  package private(set) var offset: UInt64 = 0

  /// Creates an upload with an empty file.
  init(creating descriptor: consuming OwnedDescriptor) {
    self.descriptor = consume descriptor
    marked = (0, RunningDigest(.sha256))
    // A new empty file needs no sync of its bytes.
    isSynced = true
  }

  /// Continues the file of an earlier upload. Reads the file once to compute the digest of its bytes.
  convenience init(continuing descriptor: consuming OwnedDescriptor) throws(StorageError) {
    self.init(creating: descriptor)
    let raw = try openDescriptor(for: .openUpload)
    // A file that is not a regular file is rejected before any byte is read.
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

  /// Appends all bytes. If this function throws, no bytes are appended.
  package func append(_ bytes: Span<UInt8>) throws(StorageError) {
    let raw = try openDescriptor(for: .writeUpload)
    isSynced = false
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe clinux_file_write(raw, bytes.baseAddress, bytes.count, Int64(offset))
    }
    guard status == 0 else {
      // A part of the bytes may have been written, so the file is truncated to the previous length. If this fails, `finish`
      // truncates the file again.
      _ = clinux_file_truncate(raw, Int64(offset))
      throw StorageError(.writeUpload, code: -status)
    }
    digest.update(bytes)
    offset += UInt64(bytes.count)
  }

  /// Records the current offset, to which `rollBack` returns. Before the first call, `rollBack` returns to the offset at which
  /// the file was opened.
  package func mark() {
    marked = (offset, digest.copy())
  }

  /// Removes the bytes that were appended since the last call of `mark`. The recorded offset stays.
  package func rollBack() throws(StorageError) {
    let raw = try openDescriptor(for: .rollBackUpload)
    isSynced = false
    try StorageError.check(.rollBackUpload, clinux_file_truncate(raw, Int64(marked.offset)))
    offset = marked.offset
    digest = marked.digest.copy()
  }

  /// Waits until all received bytes are on the disk. The name of the file may not be on the disk yet.
  func sync() throws(StorageError) {
    try StorageError.check(.sync, clinux_file_sync_data(try openDescriptor(for: .sync)))
    isSynced = true
  }

  /// Ends the upload. No bytes can be appended afterwards.
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

  /// Closes the file until a client sends more bytes. `AttachmentFolder.resume` opens the file again.
  package func park() {
    descriptor = nil
  }

  /// True if the file is closed and must be opened before a write.
  package var isParked: Bool { descriptor == nil }

  /// Continues with a new descriptor of the same file. Bytes after the offset come from a failed write, and are removed.
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
