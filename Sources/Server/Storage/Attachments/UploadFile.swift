internal import CLinux
internal import Glibc
internal import Platform

/// What has arrived of an upload: a file that grows at its end, and the running digest of what is in it.
///
/// Not `Sendable`: it lives in one actor. It is closed when it is finished, or goes.
package final class UploadFile {
  /// How much of the file is read at a time.
  private static let readLength = 1 << 18

  /// `nil` once the upload is finished.
  private var descriptor: OwnedDescriptor?
  private var digest = RunningDigest(.sha256)
  private var marked: (offset: UInt64, digest: RunningDigest)

  /// True when all received bytes, and the length of the file, are on the disk.
  private(set) var isSynced: Bool
  /// True when the file's name is on the disk.
  var isNameSynced = false

  /// How many bytes have arrived, and where the next go.
  package private(set) var offset: UInt64 = 0

  /// Begins with an empty file.
  init(creating descriptor: consuming OwnedDescriptor) {
    self.descriptor = consume descriptor
    marked = (0, RunningDigest(.sha256))
    // An empty file has no bytes to lose.
    isSynced = true
  }

  /// Goes on with a file that somebody began.
  convenience init(continuing descriptor: consuming OwnedDescriptor) throws(StorageError) {
    self.init(creating: descriptor)
    let raw = try openDescriptor(for: .openUpload)
    // Refuses what is no regular file before a byte of it is read.
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

  /// Writes bytes behind those that are there: all of them or, when it throws, none.
  package func append(_ bytes: Span<UInt8>) throws(StorageError) {
    let raw = try openDescriptor(for: .writeUpload)
    isSynced = false
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe clinux_file_write(raw, bytes.baseAddress, bytes.count, Int64(offset))
    }
    guard status == 0 else {
      // A part may have been written. Should this fail too, `finish` tries it again.
      _ = clinux_file_truncate(raw, Int64(offset))
      throw StorageError(.writeUpload, code: -status)
    }
    digest.update(bytes)
    offset += UInt64(bytes.count)
  }

  /// Remembers that a piece begins here. Before the first call, that is where the file was opened.
  package func mark() {
    marked = (offset, digest.copy())
  }

  /// Takes back all that was appended since the mark, which stays.
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

  /// Ends the upload: nothing can be appended afterwards.
  ///
  /// - Parameter syncs: whether to wait until the bytes are on the disk.
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

  /// Closes the file for the time that nobody writes; `AttachmentFolder.resume` opens it again.
  package func park() {
    descriptor = nil
  }

  /// Whether it has to be opened before it is written to.
  package var isParked: Bool { descriptor == nil }

  /// Goes on with the file, which holds what it held; what is behind that, of a write that failed, is cut off.
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
