internal import FoundationEssentials
internal import Storage
internal import Platform
internal import Wire

/// The actor of an upload's file, on a file thread. Only the request with the newest fencing token may write.
///
/// The actor exists from the creation of the upload until the upload is complete or removed. The actor has an open descriptor
/// only while a request writes.
actor UploadFileActor {
  /// The right of a request to write: its fencing token, which the request passes with each call, and the offset of the upload.
  struct Opening: Sendable {
    let fencingToken: UInt64
    let offset: UInt64
  }

  /// The checksum that the bytes of one request must match.
  struct PieceChecksum: Sendable {
    let algorithm: RunningDigest.Algorithm
    let digest: [UInt8]
  }

  private enum State {
    /// The actor has not opened the file yet.
    case unopened
    case growing(any StoredUpload)
    /// All bytes are in the file, and the session has their digest. The file must not change before it is moved to its final
    /// folder. The value is the size.
    case whole(UInt64)
    case removed
  }

  private let executor: BlockingExecutor
  private let attachments: any AttachmentStore
  private let session: SessionID
  /// The name of the file. No later upload uses the same name, so late calls for a removed attachment cannot affect a later
  /// attachment with the same id.
  nonisolated let name: UUID
  private let diskReserve: UInt64
  private var state = State.unopened
  private var fencingToken: UInt64 = 0
  private var checksum: (expected: PieceChecksum, digest: RunningDigest)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Creates the actor of a file. The file is created or opened when it is first used.
  ///
  /// - Parameters:
  ///   - name: the name of the file.
  ///   - session: the session of the upload.
  ///   - attachments: the store of the file.
  ///   - executor: the executor that this actor runs on.
  ///   - diskReserve: the number of bytes that must stay free on the disk.
  init(
    _ name: UUID, of session: SessionID, in attachments: any AttachmentStore, on executor: BlockingExecutor,
    diskReserve: UInt64
  ) {
    self.name = name
    self.session = session
    self.attachments = attachments
    self.executor = executor
    self.diskReserve = diskReserve
  }

  /// Checks that the disk has room for an upload of this size; nil if the size is unknown.
  func findRoom(for size: UInt64?) throws(UploadError) {
    try makeRoom(for: max(size ?? 1, 1))
  }

  /// Begins at offset 0 with an empty file, and issues a new fencing token to the caller. `size` is nil if it is unknown.
  func start(size: UInt64?, checksum expected: PieceChecksum?) throws(UploadError) -> Opening {
    switch state {
    case .whole: throw .finished
    case .removed: throw .removed
    case .unopened, .growing: break
    }
    state = .unopened
    try makeRoom(for: max(size ?? 1, 1))
    do throws(StorageError) {
      state = .growing(try attachments.createUpload(name, of: session))
    } catch {
      throw .storage(error)
    }
    fencingToken += 1
    checksum = expected.map { ($0, RunningDigest($0.algorithm)) }
    return Opening(fencingToken: fencingToken, offset: 0)
  }

  /// Continues at the offset of the upload, and issues a new fencing token to the caller.
  func begin(at offset: UInt64, checksum expected: PieceChecksum?) throws(UploadError) -> Opening {
    let file = try openFile()
    guard file.offset == offset else {
      try keep(file)
      throw .offset(file.offset)
    }
    try reopen(file)
    fencingToken += 1
    file.mark()
    checksum = expected.map { ($0, RunningDigest($0.algorithm)) }
    return Opening(fencingToken: fencingToken, offset: offset)
  }

  /// Returns the offset of the upload. If `durability` is `full`, all bytes before it are on the disk.
  func offset() throws(UploadError) -> UInt64 {
    if case .whole(let size) = state { return size }
    let file = try openFile()
    try keep(file)
    return file.offset
  }

  /// Appends all bytes. If it throws, no bytes are appended.
  ///
  /// - Returns: the new offset of the upload.
  func append(_ bytes: [UInt8], fencingToken: UInt64) throws(UploadError) -> UInt64 {
    let file = try current(fencingToken)
    try makeRoom(for: file.offset + UInt64(bytes.count))
    do throws(StorageError) {
      try file.append(bytes.span)
    } catch {
      throw .storage(error)
    }
    checksum?.digest.update(bytes.span)
    return file.offset
  }

  /// Ends a piece: compares it with its checksum, and closes the descriptor until the next use.
  ///
  /// - Parameters:
  ///   - fencingToken: the fencing token of the caller.
  ///   - size: the size of the upload, if known. A complete upload is synced by `finish`, not here.
  /// - Returns: the offset of the upload. If the durability is `full`, the bytes of an incomplete upload are on the disk.
  /// - Throws: `UploadError`. After `checksum`, the bytes of the piece are removed.
  func endPiece(fencingToken: UInt64, size: UInt64?) throws(UploadError) -> UInt64 {
    let file = try current(fencingToken)
    defer { file.park() }
    if let (expected, digest) = checksum {
      checksum = nil
      if digest.finish() != expected.digest {
        do throws(StorageError) {
          try file.rollBack()
        } catch {
          throw .storage(error)
        }
        try keep(file)
        throw .checksum(file.offset)
      }
    }
    if file.offset != size { try keep(file) }
    return file.offset
  }

  /// Revokes the right of a request to write. Its bytes stay in the file.
  ///
  /// - Returns: the offset of the upload.
  func leave(fencingToken: UInt64) throws(UploadError) -> UInt64 {
    let file = try current(fencingToken)
    self.fencingToken += 1
    checksum = nil
    file.park()
    return file.offset
  }

  /// Closes the file, which must be complete.
  ///
  /// - Returns: the SHA-256 of the file in hexadecimal.
  func finish(fencingToken: UInt64) throws(UploadError) -> String {
    let file = try current(fencingToken)
    do throws(StorageError) {
      let digest = try file.finish()
      state = .whole(file.offset)
      self.fencingToken += 1
      return digest
    } catch {
      throw .storage(error)
    }
  }

  /// Closes a file that was complete when the previous process ended, as `finish` does.
  func finishFound() throws(UploadError) -> String {
    let opening = try begin(at: try offset(), checksum: nil)
    return try finish(fencingToken: opening.fencingToken)
  }

  /// Removes the file. Later calls throw an error.
  func discard() throws(StorageError) {
    state = .removed
    try attachments.discardUpload(name, of: session)
  }

  /// Returns the file for the caller with the newest fencing token.
  private func current(_ fencingToken: UInt64) throws(UploadError) -> any StoredUpload {
    switch state {
    case .growing(let file) where fencingToken == self.fencingToken: return file
    case .growing, .unopened, .whole: throw .superseded
    case .removed: throw .removed
    }
  }

  private func openFile() throws(UploadError) -> any StoredUpload {
    switch state {
    case .growing(let file): return file
    case .whole(let size): throw .offset(size)
    case .removed: throw .removed
    case .unopened: break
    }
    do throws(StorageError) {
      let opened = try findFile()
      state = .growing(opened)
      return opened
    } catch {
      throw .storage(error)
    }
  }

  /// Opens the file of an earlier process. Creates the file if it is missing, because an upload is recorded before its first byte
  /// is written.
  private func findFile() throws(StorageError) -> any StoredUpload {
    do throws(StorageError) {
      return try attachments.openUpload(name, of: session)
    } catch {
      guard error.isMissing else { throw error }
      return try attachments.createUpload(name, of: session)
    }
  }

  private func reopen(_ file: any StoredUpload) throws(UploadError) {
    do throws(StorageError) {
      try file.resume()
    } catch {
      throw .storage(error)
    }
  }

  /// Waits until the received bytes are as durable as configured. A client gets their offset only afterwards.
  private func keep(_ file: any StoredUpload) throws(UploadError) {
    do throws(StorageError) {
      try file.sync()
    } catch {
      throw .storage(error)
    }
  }

  /// Checks that the reserved space stays free. The check runs for each buffer, because other files grow too; it takes a
  /// microsecond.
  private func makeRoom(for end: UInt64) throws(UploadError) {
    let free: UInt64
    do throws(StorageError) {
      free = try attachments.freeBytes()
    } catch {
      throw .storage(error)
    }
    var written: UInt64 = 0
    if case .growing(let file) = state { written = file.offset }
    guard free >= diskReserve + (end - written) else { throw .reserve(free: free, reserve: diskReserve) }
  }
}
