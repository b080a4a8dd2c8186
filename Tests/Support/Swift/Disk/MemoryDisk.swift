internal import FoundationEssentials
internal import Glibc
internal import Platform
package import Storage
package import Wire

/// A disk in memory that contains sessions, for tests. A test can get a copy in the
/// state after a kill or after a power cut.
package final class MemoryDisk: SessionDisk {
  private let image: Guarded<DiskImage>

  /// Creates an empty disk.
  package convenience init() {
    self.init(DiskImage())
  }

  private init(_ image: DiskImage) {
    self.image = Guarded(image)
  }

  /// Returns the disk after a kill of the process at this moment, with all written bytes.
  package func afterKill() -> MemoryDisk {
    var image = image.withLock { $0 }
    for number in image.files.keys { image.files[number]?.isLocked = false }
    return MemoryDisk(image)
  }

  /// Returns the disk after a power cut at this moment. All synced bytes survive. Of the unsynced writes, each is complete,
  /// partial or lost at random. Of the unsynced changes of file names, a random number survives, the oldest first.
  package func afterPowerCut(using chance: inout some RandomNumberGenerator) -> MemoryDisk {
    var image = image.withLock { $0 }
    image.cutPower(using: &chance)
    return MemoryDisk(image)
  }

  package func makeSession(_ id: SessionID) throws(StorageError) -> any SessionFile {
    let number = image.withLock { image in
      image.change(.remove(.made, id))
      image.change(.make(id))
      return image.addFile(.current, .made, id)
    }
    return MemoryFile(self, number)
  }

  package func placeSession(_ id: SessionID) throws(StorageError) {
    let isFree = image.withLock { image in
      guard image.names[.kept]?[id] == nil else { return false }
      image.change(.move(.made, .kept, id))
      return true
    }
    guard isFree else { throw StorageError(.makeSession, code: EEXIST) }
  }

  package func discardMadeSession(_ id: SessionID) throws(StorageError) {
    image.withLock { $0.change(.remove(.made, id)) }
  }

  package func syncMadeSession(_ id: SessionID) throws(StorageError) {
    image.withLock { $0.commit { $0.session == id } }
  }

  package func moveSessionAway(_ id: SessionID) throws(StorageError) -> Bool {
    image.withLock { image in
      guard image.names[.kept]?[id] != nil else { return false }
      image.change(.remove(.aside, id))
      image.change(.move(.kept, .aside, id))
      return true
    }
  }

  package func removeMovedSession(_ id: SessionID) throws(StorageError) {
    image.withLock { $0.change(.remove(.aside, id)) }
  }

  package func createFile(_ name: LogName, of id: SessionID) throws(StorageError) -> any SessionFile {
    let made: Result<Int, StorageError> = image.withLock { image in
      guard let own = image.names[.kept]?[id] else { return .failure(StorageError(.openLog, code: ENOENT)) }
      guard own[name] == nil else { return .failure(StorageError(.openLog, code: EEXIST)) }
      return .success(image.addFile(name, .kept, id))
    }
    return MemoryFile(self, try made.get())
  }

  package func openFile(
    _ name: LogName, of id: SessionID, toWrite isWriting: Bool
  ) throws(StorageError) -> any SessionFile {
    guard let number = image.withLock({ $0.names[.kept]?[id]?[name] }) else {
      throw StorageError(.openLog, code: ENOENT)
    }
    return MemoryFile(self, number)
  }

  package func replaceLog(of id: SessionID) throws(StorageError) {
    let isThere = image.withLock { image in
      guard image.names[.kept]?[id]?[.next] != nil else { return false }
      image.change(.replaceLog(id))
      return true
    }
    guard isThere else { throw StorageError(.compactLog, code: ENOENT) }
  }

  package func rename(_ name: LogName, to new: LogName, of id: SessionID) throws(StorageError) {
    let isThere = image.withLock { image in
      guard image.names[.kept]?[id]?[name] != nil else { return false }
      image.change(.rename(name, new, id))
      return true
    }
    guard isThere else { throw StorageError(.writeHistory, code: ENOENT) }
  }

  package func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece] {
    let names = image.withLock { image in image.names[.kept]?[id].map { Array($0.keys) } }
    guard let names else { throw StorageError(.readHistory, code: ENOENT) }
    return names.compactMap { name -> HistoryPiece? in
      guard case .history(let piece) = name else { return nil }
      return piece
    }
  }

  package func removeFile(_ name: LogName, of id: SessionID) throws(StorageError) {
    image.withLock { image in
      if image.names[.kept]?[id]?[name] != nil { image.change(.removeFile(name, id)) }
    }
  }

  package func syncNames(of id: SessionID) throws(StorageError) {
    image.withLock { $0.commit { $0.session == id } }
  }

  package func syncSessions() throws(StorageError) {
    image.withLock { $0.commit { $0.movesSession } }
  }

  package func syncAll() throws(StorageError) {
    image.withLock { image in
      image.commit { _ in true }
      for number in image.files.keys { image.files[number]?.sync() }
    }
  }

  /// Has no effect, because a disk in memory stores no record of a clean stop.
  package func recordCleanStop(_ generation: String) throws(StorageError) {}

  package func holdsSession(_ id: SessionID) throws(StorageError) -> Bool {
    image.withLock { $0.names[.kept]?[id] != nil }
  }

  package func sessions() throws(StorageError) -> [SessionID] {
    image.withLock { Array($0.names[.kept, default: [:]].keys) }
  }

  /// Returns no files, because this disk contains only logs.
  package func files(of id: SessionID) throws(StorageError) -> [StoredFile] { [] }

  /// Performs an operation on a file.
  fileprivate func access<Result: Sendable>(
    _ number: Int, _ body: (inout ImageFile) -> Result
  ) throws(StorageError) -> Result {
    let result = image.withLock { image in
      image.files[number].map { file in
        var file = file
        image.files[number] = nil
        let result = body(&file)
        image.files[number] = file
        return result
      }
    }
    guard let result else { throw StorageError(.readLog, code: EBADF) }
    return result
  }
}

/// A file of a disk in memory.
private final class MemoryFile: SessionFile {
  private let disk: MemoryDisk
  private let number: Int
  private let holdsLock = Guarded(false)

  init(_ disk: MemoryDisk, _ number: Int) {
    self.disk = disk
    self.number = number
  }

  func information() throws(StorageError) -> (length: Int, modified: Date, changed: Date) {
    // The times do not come from a clock: each write adds one second to both times of the file.
    try disk.access(number) { file in
      let written = Date(timeIntervalSince1970: Double(file.writes))
      return (file.bytes.count, written, written)
    }
  }

  func read(
    into bytes: inout [UInt8], at position: Int, count: Int, from offset: Int
  ) throws(StorageError) -> Int {
    precondition(
      position >= 0 && count >= 0 && count <= bytes.count - position, "the read exceeds the buffer")
    let found = try disk.access(number) { $0.bytes }
    let range = min(offset, found.count)..<min(offset + count, found.count)
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe found[range].withUnsafeBytes { found in
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[position..<position + found.count])
          .copyMemory(from: found)
      }
    }
    return range.count
  }

  func write(_ bytes: Span<UInt8>, at offset: Int) throws(StorageError) {
    var copy: [UInt8] = []
    copy.append(bytes)
    let written = copy
    try disk.access(number) { $0.write(written, at: offset) }
  }

  func truncate(to length: Int) throws(StorageError) {
    try disk.access(number) { $0.truncate(to: length) }
  }

  func sync() throws(StorageError) {
    try disk.access(number) { $0.sync() }
  }

  func lock() throws(StorageError) {
    let isOurs = try disk.access(number) { file in
      guard !file.isLocked else { return false }
      file.isLocked = true
      return true
    }
    guard isOurs else { throw StorageError(.lockLog, code: EWOULDBLOCK) }
    holdsLock.withLock { $0 = true }
  }

  func unlock() {
    // `access` fails only for a removed file, and a disk in memory never removes files.
    let wasLocked = holdsLock.withLock { holds in
      defer { holds = false }
      return holds
    }
    if wasLocked { try? disk.access(number) { $0.isLocked = false } }
  }

  deinit {
    unlock()
  }
}
