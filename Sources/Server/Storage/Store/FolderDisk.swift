internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Platform
package import Wire

/// The sessions in a data folder.
package struct FolderDisk: SessionDisk {
  private let data: DataFolder

  /// Creates a disk for the sessions of a data folder.
  package init(_ data: DataFolder) {
    self.data = data
  }

  package func makeSession(_ id: SessionID) throws(StorageError) -> any SessionFile {
    let operation = StorageError.Operation.makeSession
    let made = try data.openOrMake(DataFolder.made, for: operation)
    try made.removeTree(id.text, for: operation)
    try made.makeFolder(id.text, for: operation)
    let own = try made.folder(id.text, for: operation)
    return FolderFile(try own.createFile(LogName.current.text, for: operation))
  }

  package func placeSession(_ id: SessionID) throws(StorageError) {
    let operation = StorageError.Operation.makeSession
    let sessions = try data.openSessions(for: operation)
    // The rename below fails only if the target folder is not empty. This check also rejects an empty target folder.
    guard try sessions.information(of: id.text, for: operation) == nil else {
      throw StorageError(operation, code: EEXIST)
    }
    try data.openOrMake(DataFolder.made, for: operation)
      .rename(id.text, to: id.text, in: sessions, for: operation)
  }

  package func discardMadeSession(_ id: SessionID) throws(StorageError) {
    try data.openOrMake(DataFolder.made, for: .removeSession).removeTree(id.text, for: .removeSession)
  }

  package func syncMadeSession(_ id: SessionID) throws(StorageError) {
    try data.openOrMake(DataFolder.made, for: .sync).folder(id.text, for: .sync).sync(for: .sync)
  }

  package func moveSessionAway(_ id: SessionID) throws(StorageError) -> Bool {
    let operation = StorageError.Operation.removeSession
    let removed = try data.openOrMake(DataFolder.removed, for: operation)
    try removed.removeTree(id.text, for: operation)
    do throws(StorageError) {
      try data.openSessions(for: operation).rename(id.text, to: id.text, in: removed, for: operation)
      return true
    } catch {
      guard error.isMissing else { throw error }
      return false
    }
  }

  package func removeMovedSession(_ id: SessionID) throws(StorageError) {
    try data.openOrMake(DataFolder.removed, for: .removeSession).removeTree(id.text, for: .removeSession)
  }

  package func createFile(_ name: LogName, of id: SessionID) throws(StorageError) -> any SessionFile {
    FolderFile(try open(id, for: .openLog).createFile(name.text, for: .openLog))
  }

  package func openFile(
    _ name: LogName, of id: SessionID, toWrite isWriting: Bool
  ) throws(StorageError) -> any SessionFile {
    FolderFile(try open(id, for: .openLog).openFile(name.text, toWrite: isWriting, for: .openLog))
  }

  package func replaceLog(of id: SessionID) throws(StorageError) {
    let own = try open(id, for: .compactLog)
    try own.rename(LogName.next.text, to: LogName.current.text, in: own, for: .compactLog)
  }

  package func rename(_ name: LogName, to new: LogName, of id: SessionID) throws(StorageError) {
    let own = try open(id, for: .writeHistory)
    try own.rename(name.text, to: new.text, in: own, for: .writeHistory)
  }

  package func removeFile(_ name: LogName, of id: SessionID) throws(StorageError) {
    try open(id, for: .compactLog).removeFile(name.text, for: .compactLog)
  }

  package func syncNames(of id: SessionID) throws(StorageError) {
    try open(id, for: .sync).sync(for: .sync)
  }

  package func syncSessions() throws(StorageError) {
    try data.openSessions(for: .sync).sync(for: .sync)
  }

  package func syncAll() throws(StorageError) {
    try data.syncAll()
  }

  package func recordCleanStop(_ generation: String) throws(StorageError) {
    try data.leaveMark(generation)
  }

  package func holdsSession(_ id: SessionID) throws(StorageError) -> Bool {
    do throws(StorageError) {
      _ = try open(id, for: .openLog)
      return true
    } catch {
      guard error.isMissing else { throw error }
      return false
    }
  }

  package func sessions() throws(StorageError) -> [SessionID] {
    try data.openSessions(for: .listSessions).names(for: .listSessions).compactMap { SessionID($0) }
  }

  package func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece] {
    try open(id, for: .readHistory).names(for: .readHistory).compactMap { HistoryPiece(fileName: $0) }
  }

  package func files(of id: SessionID) throws(StorageError) -> [StoredFile] {
    try data.attachments(of: id).files()
  }

  private func open(
    _ id: SessionID, for operation: StorageError.Operation
  ) throws(StorageError) -> Folder {
    try data.openSessions(for: operation).folder(id.text, for: operation)
  }
}

/// A file of a session in the data folder.
private final class FolderFile: SessionFile {
  private let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  func information() throws(StorageError) -> (length: Int, modified: Date, changed: Date) {
    var found = clinux_file_information()
    try StorageError.check(.readLog, unsafe clinux_information(descriptor.rawValue, &found))
    guard found.is_regular != 0 else { throw StorageError(.readLog, code: EINVAL) }
    return (
      Int(found.length), Date(nanosecondsSince1970: found.modified), Date(nanosecondsSince1970: found.changed)
    )
  }

  func read(
    into bytes: inout [UInt8], at position: Int, count: Int, from offset: Int
  ) throws(StorageError) -> Int {
    precondition(
      position >= 0 && count >= 0 && count <= bytes.count - position,
      "the buffer must have room for the requested bytes")
    let read = unsafe bytes.withUnsafeMutableBufferPointer { room in
      unsafe clinux_file_read(
        descriptor.rawValue, room.baseAddress.map { unsafe $0 + position }, count, Int64(offset))
    }
    return Int(try StorageError.check(.readLog, read))
  }

  func write(_ bytes: Span<UInt8>, at offset: Int) throws(StorageError) {
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe clinux_file_write(descriptor.rawValue, bytes.baseAddress, bytes.count, Int64(offset))
    }
    try StorageError.check(.writeLog, status)
  }

  func truncate(to length: Int) throws(StorageError) {
    try StorageError.check(.cutLog, clinux_file_truncate(descriptor.rawValue, Int64(length)))
  }

  func sync() throws(StorageError) {
    try StorageError.check(.sync, clinux_file_sync_data(descriptor.rawValue))
  }

  func lock() throws(StorageError) {
    try StorageError.check(.lockLog, clinux_lock_exclusively(descriptor.rawValue))
  }

  func unlock() {
    // The call fails only for an invalid descriptor.
    _ = clinux_unlock(descriptor.rawValue)
  }
}
