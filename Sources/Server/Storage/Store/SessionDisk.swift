package import FoundationEssentials
package import Wire

/// The files that a session's log may be in.
package enum LogName: Hashable, Sendable {
  /// The log itself.
  case current
  /// The one that is being written to take its place.
  case next
  /// Damaged bytes, kept when they were taken out of the log; numbered from 1.
  case damaged(Int)
  /// Damaged bytes whose loss the operator accepted; numbered from 1.
  case accepted(Int)

  /// The file's name in the session's folder.
  package var text: String {
    switch self {
    case .current: "log"
    case .next: "log.new"
    case .damaged(let number): "log.damaged-\(number)"
    case .accepted(let number): "log.accepted-\(number)"
    }
  }
}

/// A file among a session's uploads or attachments.
package struct StoredFile: Equatable, Sendable {
  /// Which folder it lies in.
  package enum Place: String, Sendable, CaseIterable {
    /// What has arrived of uploads, by the UUID of the file.
    case uploads
    /// Whole contents, by their digest.
    case attachments
  }

  /// Which folder it lies in.
  package var place: Place
  /// Its name there.
  package var name: String
  /// In bytes.
  package var length: UInt64
  /// When it was written to last.
  package var modified: Date

  /// Creates a value from its parts.
  package init(place: Place, name: String, length: UInt64, modified: Date) {
    self.place = place
    self.name = name
    self.length = length
    self.modified = modified
  }
}

/// What a store of sessions does to files. Every call blocks; any thread may make one.
///
/// What is written is there for every process at once; it outlives a power cut when the sync that follows it has returned.
package protocol SessionDisk: Sendable {
  /// Begins a session beside those that are: a folder with an empty log. What a crash left of one of that name goes.
  func makeSession(_ id: SessionID) throws(StorageError) -> any SessionFile
  /// Puts what was begun among the sessions, whole; EEXIST when there is one of that name.
  func placeSession(_ id: SessionID) throws(StorageError)
  /// Removes what was begun; fine when there is nothing.
  func discardMadeSession(_ id: SessionID) throws(StorageError)
  /// Waits until the names in a session's folder that was begun are on the disk.
  func syncMadeSession(_ id: SessionID) throws(StorageError)

  /// Takes a session from among the others, whole; false when there is none.
  func setSessionAside(_ id: SessionID) throws(StorageError) -> Bool
  /// Removes what was set aside; fine when there is nothing. That may take long.
  func removeSessionSetAside(_ id: SessionID) throws(StorageError)

  /// Makes a file that was not there, to be read and written; EEXIST when it was.
  func createFile(_ name: LogName, of id: SessionID) throws(StorageError) -> any SessionFile
  /// Opens a file to be read, and written if that is asked for.
  func openFile(
    _ name: LogName, of id: SessionID, toWrite isWriting: Bool
  ) throws(StorageError) -> any SessionFile
  /// Puts `log.new` in the place of `log`.
  func replaceLog(of id: SessionID) throws(StorageError)
  /// Removes a file; fine when there is none.
  func removeFile(_ name: LogName, of id: SessionID) throws(StorageError)

  /// Waits until the names in a session's folder are on the disk.
  func syncNames(of id: SessionID) throws(StorageError)
  /// Waits until the names of the sessions are on the disk.
  func syncSessions() throws(StorageError)
  /// Waits until all that was written is on the disk.
  func syncAll() throws(StorageError)
  /// Records, after `syncAll`, that all sessions of a generation were stored completely.
  func recordCleanStop(_ generation: String) throws(StorageError)

  /// Returns true if there is a session of that id, even one without its log.
  func holdsSession(_ id: SessionID) throws(StorageError) -> Bool
  /// The sessions there are, in no order.
  func sessions() throws(StorageError) -> [SessionID]
  /// What there is of a session's uploads and attachments, in no order.
  func files(of id: SessionID) throws(StorageError) -> [StoredFile]
}

/// An open file of a session, closed when the last reference goes. Offsets and lengths are in bytes.
package protocol SessionFile: AnyObject, Sendable {
  /// How long it is, when it was written to last, and when anything about it changed last, its place included.
  func information() throws(StorageError) -> (length: Int, modified: Date, changed: Date)
  /// Reads `count` bytes from `offset` on into `bytes` from `position` on, where there must be room; fewer only at the
  /// file's end.
  ///
  /// - Returns: how many were read.
  func read(
    into bytes: inout [UInt8], at position: Int, count: Int, from offset: Int
  ) throws(StorageError) -> Int
  /// Writes all bytes. When it throws, some may have been written.
  func write(_ bytes: Span<UInt8>, at offset: Int) throws(StorageError)
  /// Makes it shorter.
  func truncate(to length: Int) throws(StorageError)
  /// Waits until what was written to it is on the disk; its name is another matter.
  func sync() throws(StorageError)
  /// Locks the file until it is closed; throws EWOULDBLOCK while another open file holds the lock.
  func lock() throws(StorageError)
  /// Releases the lock before the file is closed.
  func unlock()
}
