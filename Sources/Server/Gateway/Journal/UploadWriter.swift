internal import FoundationEssentials
internal import Storage
internal import Platform
internal import Wire

/// The file of one upload, and who may write to it: the newest of those who asked.
///
/// Lives on a file thread, from the creation of the upload until it is whole or gone. While nobody writes, it holds no
/// descriptor.
actor UploadWriter {
  /// Why bytes were not taken.
  enum Fault: Error {
    /// A newer request writes now.
    case superseded
    /// All of it has come already.
    case finished
    /// The attachment is gone.
    case removed
    /// The piece does not begin where the upload stands.
    case offset(UInt64)
    /// The piece is not what its checksum says; the upload stands where the piece began.
    case checksum(UInt64)
    /// No more than the reserve is left on the disk.
    case reserve(free: UInt64, reserve: UInt64)
    case storage(StorageError)
  }

  /// What a writer was given: its turn, which it names with every call, and where the upload stands.
  struct Opening: Sendable {
    let turn: UInt64
    let offset: UInt64
  }

  /// What the bytes of one request have to be.
  struct PieceChecksum: Sendable {
    let algorithm: RunningDigest.Algorithm
    let digest: [UInt8]
  }

  private enum State {
    /// What there is of the file has still to be looked for.
    case unopened
    case growing(any StoredUpload)
    /// All has come, so many bytes, and their digest was told: nothing may touch the file on the way to its place.
    case whole(UInt64)
    case removed
  }

  private let executor: BlockingExecutor
  private let attachments: any AttachmentStore
  private let session: SessionID
  /// Names the file, and no other ever: what still happens to the file of an attachment that was removed can never meet
  /// that of a later one with the same id.
  nonisolated let name: UUID
  private let diskReserve: UInt64
  private var state = State.unopened
  private var turn: UInt64 = 0
  private var checksum: (expected: PieceChecksum, digest: RunningDigest)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Creates the writer of an upload's file. The file is created or opened when it is first used.
  init(_ name: UUID = UUID(), of session: SessionID, _ shared: SharedState) {
    self.name = name
    self.session = session
    attachments = shared.attachments
    executor = shared.fileThreads.nextTransfer()
    diskReserve = UInt64(shared.limits.diskReserveBytes)
  }

  /// Looks whether the disk has room for an upload that is about to begin. Of what is to come the size may be known.
  func findRoom(for size: UInt64?) throws(Fault) {
    try makeRoom(for: max(size ?? 1, 1))
  }

  /// Begins from nothing, whatever was there: the caller is the writer. Of what is to come the size may be known.
  func start(size: UInt64?, checksum expected: PieceChecksum?) throws(Fault) -> Opening {
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
    turn += 1
    checksum = expected.map { ($0, RunningDigest($0.algorithm)) }
    return Opening(turn: turn, offset: 0)
  }

  /// Goes on where the upload stands: the caller is the writer from here on, and who was is not.
  func begin(at offset: UInt64, checksum expected: PieceChecksum?) throws(Fault) -> Opening {
    let file = try openFile()
    guard file.offset == offset else {
      try keep(file)
      throw .offset(file.offset)
    }
    try reopen(file)
    turn += 1
    file.mark()
    checksum = expected.map { ($0, RunningDigest($0.algorithm)) }
    return Opening(turn: turn, offset: offset)
  }

  /// Returns the offset of the upload; with `full`, the bytes up to it are on the disk.
  func offset() throws(Fault) -> UInt64 {
    if case .whole(let size) = state { return size }
    let file = try openFile()
    try keep(file)
    return file.offset
  }

  /// Adds bytes; all of them or, with an error, none.
  /// - Returns: where the upload stands then.
  func append(_ bytes: [UInt8], turn: UInt64) throws(Fault) -> UInt64 {
    let file = try current(turn)
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
  ///   - turn: the turn of the caller.
  ///   - size: the size of the upload, if known. `finish` brings an upload that is whole to the disk.
  /// - Returns: the offset of the upload; with `full`, the bytes of an incomplete upload are on the disk.
  /// - Throws: `Fault`; with `checksum` the piece was removed again.
  func endPiece(turn: UInt64, size: UInt64?) throws(Fault) -> UInt64 {
    let file = try current(turn)
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

  /// The writer is gone: what it brought stays, and no later piece of its own is taken.
  /// - Returns: where the upload stands.
  func leave(turn: UInt64) throws(Fault) -> UInt64 {
    let file = try current(turn)
    self.turn += 1
    checksum = nil
    file.park()
    return file.offset
  }

  /// All has come: closes the file.
  /// - Returns: the SHA-256 of what is in it, in hexadecimal.
  func finish(turn: UInt64) throws(Fault) -> String {
    let file = try current(turn)
    do throws(StorageError) {
      let digest = try file.finish()
      state = .whole(file.offset)
      self.turn += 1
      return digest
    } catch {
      throw .storage(error)
    }
  }

  /// All had come before the process ended: closes the file, as `finish` does.
  func finishFound() throws(Fault) -> String {
    let opening = try begin(at: try offset(), checksum: nil)
    return try finish(turn: opening.turn)
  }

  /// Forgets the upload: what was written is removed.
  func discard() throws(StorageError) {
    state = .removed
    try attachments.discardUpload(name, of: session)
  }

  private func current(_ turn: UInt64) throws(Fault) -> any StoredUpload {
    switch state {
    case .growing(let file) where turn == self.turn: return file
    case .growing, .unopened, .whole: throw .superseded
    case .removed: throw .removed
    }
  }

  private func openFile() throws(Fault) -> any StoredUpload {
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

  /// The file as an earlier process left it; of an upload that was told of before a byte was written there is none.
  private func findFile() throws(StorageError) -> any StoredUpload {
    do throws(StorageError) {
      return try attachments.openUpload(name, of: session)
    } catch {
      guard error.isMissing else { throw error }
      return try attachments.createUpload(name, of: session)
    }
  }

  private func reopen(_ file: any StoredUpload) throws(Fault) {
    do throws(StorageError) {
      try file.resume()
    } catch {
      throw .storage(error)
    }
  }

  /// Waits until the received bytes are as durable as configured, before a client gets their offset.
  private func keep(_ file: any StoredUpload) throws(Fault) {
    do throws(StorageError) {
      try file.sync()
    } catch {
      throw .storage(error)
    }
  }

  /// The disk keeps its reserve: looked at for each buffer, since others write too, and asking costs a microsecond.
  private func makeRoom(for end: UInt64) throws(Fault) {
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
