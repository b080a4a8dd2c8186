internal import Glibc
internal import Wire

/// The stored pieces of one session's history.
protocol HistoryMedium {
  /// Returns the pieces in any order.
  func pieces() throws(StorageError) -> [HistoryPiece]
  /// Opens a piece for reading.
  func open(_ piece: HistoryPiece) throws(StorageError) -> any SessionFile
  /// Creates an empty file for a new piece. Removes an earlier file that was created for a piece and never stored.
  func create() throws(StorageError) -> any SessionFile
  /// Stores the complete file that `create` returned. After this call, the piece survives a power cut.
  func store(_ file: any SessionFile, as piece: HistoryPiece) throws(StorageError)
  /// Removes the file that `create` returned. Does nothing if that file was stored.
  func discard() throws(StorageError)
  /// Removes a piece. Succeeds if there is no such piece.
  func remove(_ piece: HistoryPiece) throws(StorageError)
}

extension HistoryMedium {
  /// Opens a piece, and reads the list of its blocks.
  func file(of piece: HistoryPiece) throws(StorageError) -> HistoryPieceFile {
    try HistoryPieceFile(try open(piece))
  }
}

/// The pieces of a session's history as files beside the log.
struct HistoryFiles: HistoryMedium {
  private let id: SessionID
  private let disk: any SessionDisk

  init(of id: SessionID, on disk: any SessionDisk) {
    self.id = id
    self.disk = disk
  }

  func pieces() throws(StorageError) -> [HistoryPiece] { try disk.historyPieces(of: id) }

  func open(_ piece: HistoryPiece) throws(StorageError) -> any SessionFile {
    try disk.openFile(.history(piece), of: id, toWrite: false)
  }

  func create() throws(StorageError) -> any SessionFile {
    try discard()
    return try disk.createFile(.nextHistory, of: id)
  }

  func store(_ file: any SessionFile, as piece: HistoryPiece) throws(StorageError) {
    // The bytes are on the disk before the file gets its name, so a piece is never incomplete. The name is on the disk before the
    // compaction drops the entries that were copied to this piece.
    try file.sync()
    try disk.rename(.nextHistory, to: .history(piece), of: id)
    try disk.syncNames(of: id)
  }

  func discard() throws(StorageError) {
    try disk.removeFile(.nextHistory, of: id)
  }

  func remove(_ piece: HistoryPiece) throws(StorageError) {
    try disk.removeFile(.history(piece), of: id)
  }

  /// Removes pieces whose sequences may be given to other entries. The removal survives a power cut.
  func remove(_ pieces: [HistoryPiece]) throws(StorageError) {
    guard !pieces.isEmpty else { return }
    for piece in pieces { try remove(piece) }
    try disk.syncNames(of: id)
  }
}
