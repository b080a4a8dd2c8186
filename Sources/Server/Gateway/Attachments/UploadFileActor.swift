internal import FoundationEssentials
internal import Storage
internal import Platform
internal import Wire

/// The actor that writes the file of an upload, on a file thread. Only the request with the newest fencing token may write.
///
/// The actor exists from the creation of the upload until the upload is complete or removed. It keeps a descriptor open only
/// while a request writes.
actor UploadFileActor {
  /// The permission of a request to write. The request passes `fencingToken` with each call. `offset` is the offset of the upload
  /// at the time when the permission was granted.
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
    /// All bytes are in the file, and their digest has been computed. The file must not change any more; it is moved to its final
    /// folder next. The value is the size of the file.
    case whole(UInt64)
    case removed
  }

  private let executor: BlockingExecutor
  private let attachments: any AttachmentStore
  private let session: SessionID
  /// The name of the file. No other upload ever has the same name. So a late call for a removed attachment cannot affect a new
  /// attachment with the same id.
  nonisolated let name: UUID
  private let diskReserve: UInt64
  private var state = State.unopened
  private var fencingToken: UInt64 = 0
  private var checksum: (expected: PieceChecksum, digest: RunningDigest)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Creates the actor of a file. The file is created or opened at its first use.
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

  /// Checks that the disk has room for an upload of this size. If `size` is nil (unknown), room for one byte is enough.
  func findRoom(for size: UInt64?) throws(UploadError) {
    try makeRoom(for: max(size ?? 1, 1))
  }

  /// Starts the upload at offset 0 with an empty file, and issues a new fencing token to the caller. A `size` of nil means that
  /// the size is unknown.
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

  /// Continues the upload, and issues a new fencing token to the caller. Throws an error if `offset` is not the present offset of
  /// the upload.
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

  /// Returns the offset of the upload. If the setting `durability` is `full`, all bytes before this offset are on the disk.
  func offset() throws(UploadError) -> UInt64 {
    if case .whole(let size) = state { return size }
    let file = try openFile()
    try keep(file)
    return file.offset
  }

  /// Appends the bytes to the file: all of them, or none if an error is thrown.
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

  /// Ends the piece that one request sent: compares the piece with its checksum, and closes the descriptor until the next
  /// request.
  ///
  /// - Parameters:
  ///   - fencingToken: the fencing token of the caller.
  ///   - size: the size of the upload, if known. If the upload is now complete, this function does not sync the file, because
  ///     `finish` does.
  /// - Returns: the offset of the upload. If the setting `durability` is `full` and the upload is incomplete, all bytes before
  ///   this offset are on the disk.
  /// - Throws: `UploadError`. If the error is `checksum`, the bytes of the piece have been removed from the file.
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

  /// Revokes the right of a request to write. The bytes of the request stay in the file.
  ///
  /// - Returns: the offset of the upload.
  func leave(fencingToken: UInt64) throws(UploadError) -> UInt64 {
    let file = try current(fencingToken)
    self.fencingToken += 1
    checksum = nil
    file.park()
    return file.offset
  }

  /// Closes the file, which must contain all bytes of the upload.
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

  /// Closes a file that already had all bytes when the previous process ended.
  ///
  /// - Returns: the SHA-256 of the file in hexadecimal.
  func finishFound() throws(UploadError) -> String {
    let opening = try begin(at: try offset(), checksum: nil)
    return try finish(fencingToken: opening.fencingToken)
  }

  /// Removes the file. Later calls of the other functions throw `removed`.
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

  /// Opens the file that an earlier process began. Creates the file if it is missing: the earlier process may have ended after it
  /// recorded the upload, but before it created the file.
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

  /// Makes the written bytes as durable as the setting `durability` demands. A client must not get the new offset before this
  /// function has succeeded.
  private func keep(_ file: any StoredUpload) throws(UploadError) {
    do throws(StorageError) {
      try file.sync()
    } catch {
      throw .storage(error)
    }
  }

  /// Checks that the reserved disk space stays free when the upload grows to the offset `end`. The check runs before each write,
  /// because other files grow too. It takes a microsecond.
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
