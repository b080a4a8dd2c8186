package import FoundationEssentials
package import Wire

/// The names of the files of a session's log.
package enum LogName: Hashable, Sendable {
  /// The log itself.
  case current
  /// A new log that is being written, and that will replace the present log.
  case next
  /// A file of damaged bytes that were removed from the log. The value is the number of the file, from 1.
  case damaged(Int)
  /// A file of damaged bytes whose loss the operator accepted. The value is the number of the file, from 1.
  case accepted(Int)
  /// A piece of the session's history.
  case history(HistoryPiece)
  /// A piece of the history while it is being written.
  case nextHistory

  /// The file's name in the session's folder.
  package var text: String {
    switch self {
    case .current: "log"
    case .next: "log.new"
    case .damaged(let number): "log.damaged-\(number)"
    case .accepted(let number): "log.accepted-\(number)"
    case .history(let piece): piece.fileName
    case .nextHistory: "history.new"
    }
  }
}

/// A file among a session's uploads or attachments.
package struct StoredFile: Equatable, Sendable {
  /// The folder that contains a file.
  package enum Place: String, Sendable, CaseIterable {
    /// The received bytes of uploads, by the UUID of the file.
    case uploads
    /// Complete contents, by their digest.
    case attachments
  }

  /// The folder of the file.
  package var place: Place
  /// The name of the file in its folder.
  package var name: String
  /// The length in bytes.
  package var length: UInt64
  /// The time of the last write.
  package var modified: Date

  /// Creates a value from its parts.
  package init(place: Place, name: String, length: UInt64, modified: Date) {
    self.place = place
    self.name = name
    self.length = length
    self.modified = modified
  }
}

/// The operations of a `FolderStore` on files. They block the calling thread, and any thread may call them. Written bytes are
/// immediately visible to all processes. Written bytes survive a power cut only after a later sync has returned.
package protocol SessionDisk: Sendable {
  /// Creates a folder for a new session, with an empty log, outside the folder of sessions. Removes a folder of the same name
  /// that a crash left there.
  func makeSession(_ id: SessionID) throws(StorageError) -> any SessionFile
  /// Moves the folder that `makeSession` created into the folder of sessions. Throws EEXIST if a session with this id exists.
  func placeSession(_ id: SessionID) throws(StorageError)
  /// Removes the folder that `makeSession` created. Succeeds if this folder does not exist.
  func discardMadeSession(_ id: SessionID) throws(StorageError)
  /// Waits until the file names in the folder that `makeSession` created are on the disk.
  func syncMadeSession(_ id: SessionID) throws(StorageError)

  /// Moves a session out of the folder of sessions. Returns false if the session does not exist.
  func moveSessionAway(_ id: SessionID) throws(StorageError) -> Bool
  /// Deletes a session that `moveSessionAway` moved. This may take long. Succeeds if the session does not exist.
  func removeMovedSession(_ id: SessionID) throws(StorageError)

  /// Creates a file for reading and writing. Throws EEXIST if it exists.
  func createFile(_ name: LogName, of id: SessionID) throws(StorageError) -> any SessionFile
  /// Opens a file for reading, and for writing if requested.
  func openFile(
    _ name: LogName, of id: SessionID, toWrite isWriting: Bool
  ) throws(StorageError) -> any SessionFile
  /// Renames `log.new` to `log`. The old `log` is replaced.
  func replaceLog(of id: SessionID) throws(StorageError)
  /// Renames a file. A file that already has the new name is replaced.
  func rename(_ name: LogName, to new: LogName, of id: SessionID) throws(StorageError)
  /// Removes a file. Succeeds if the file does not exist.
  func removeFile(_ name: LogName, of id: SessionID) throws(StorageError)

  /// Waits until the names in a session's folder are on the disk.
  func syncNames(of id: SessionID) throws(StorageError)
  /// Waits until the names of the sessions are on the disk.
  func syncSessions() throws(StorageError)
  /// Waits until all written bytes are on the disk.
  func syncAll() throws(StorageError)
  /// Records, after `syncAll`, that all sessions of a generation were stored completely.
  func recordCleanStop(_ generation: String) throws(StorageError)

  /// Returns true if there is a session with that id, even if its log is missing.
  func holdsSession(_ id: SessionID) throws(StorageError) -> Bool
  /// Returns the sessions in any order.
  func sessions() throws(StorageError) -> [SessionID]
  /// Returns the pieces of a session's history in any order.
  func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece]
  /// Returns the uploads and contents of a session in any order.
  func files(of id: SessionID) throws(StorageError) -> [StoredFile]
}

/// An open file of a session. The file is closed when its last reference is released. Offsets and lengths are in bytes.
package protocol SessionFile: AnyObject, Sendable {
  /// Returns the length, the time of the last write, and the time of the last change of the file or its attributes. A rename
  /// changes the attributes.
  func information() throws(StorageError) -> (length: Int, modified: Date, changed: Date)
  /// Reads `count` bytes at an offset of the file, and stores them in `bytes` from a position on. `bytes` must have room for
  /// them. Reads fewer bytes only at the end of the file.
  /// - Returns: the number of bytes that were read.
  func read(
    into bytes: inout [UInt8], at position: Int, count: Int, from offset: Int
  ) throws(StorageError) -> Int
  /// Writes all bytes. If it throws, a part of the bytes may have been written.
  func write(_ bytes: Span<UInt8>, at offset: Int) throws(StorageError)
  /// Cuts the file to a length.
  func truncate(to length: Int) throws(StorageError)
  /// Waits until the written bytes are on the disk. The name of the file may not be on the disk yet.
  func sync() throws(StorageError)
  /// Locks the file until it is closed; throws EWOULDBLOCK while another open file holds the lock.
  func lock() throws(StorageError)
  /// Releases the lock without closing the file.
  func unlock()
}
