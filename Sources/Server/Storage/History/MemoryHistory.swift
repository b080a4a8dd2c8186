internal import FoundationEssentials
internal import Glibc
internal import Platform
internal import Wire

/// The pieces of a session's history in memory. Not `Sendable`: one store uses it.
final class MemoryHistory: HistoryMedium {
  /// The bytes of each piece.
  private(set) var contents: [HistoryPiece: [UInt8]]

  init(_ contents: [HistoryPiece: [UInt8]]) {
    self.contents = contents
  }

  func pieces() throws(StorageError) -> [HistoryPiece] { Array(contents.keys) }

  func open(_ piece: HistoryPiece) throws(StorageError) -> any SessionFile {
    guard let bytes = contents[piece] else { throw StorageError(.readHistory, code: ENOENT) }
    return MemoryHistoryFile(bytes)
  }

  func create() throws(StorageError) -> any SessionFile { MemoryHistoryFile([]) }

  func store(_ file: any SessionFile, as piece: HistoryPiece) throws(StorageError) {
    var bytes = [UInt8](repeating: 0, count: piece.byteCount)
    guard try file.read(into: &bytes, at: 0, count: bytes.count, from: 0) == bytes.count else {
      throw StorageError(.writeHistory, code: ENODATA)
    }
    contents[piece] = bytes
  }

  func discard() throws(StorageError) {}

  func remove(_ piece: HistoryPiece) throws(StorageError) {
    contents[piece] = nil
  }
}

/// The bytes of a piece of a history in memory.
final class MemoryHistoryFile: SessionFile {
  private let bytes: Guarded<[UInt8]>

  init(_ bytes: [UInt8]) {
    self.bytes = Guarded(bytes)
  }

  func information() throws(StorageError) -> (length: Int, modified: Date, changed: Date) {
    (bytes.withLock { $0.count }, .distantPast, .distantPast)
  }

  func read(
    into room: inout [UInt8], at position: Int, count: Int, from offset: Int
  ) throws(StorageError) -> Int {
    let all = bytes.withLock { $0 }
    let range = min(offset, all.count)..<min(offset + count, all.count)
    room.replaceSubrange(position..<position + range.count, with: all[range])
    return range.count
  }

  func write(_ more: Span<UInt8>, at offset: Int) throws(StorageError) {
    var copy: [UInt8] = []
    copy.append(more)
    let added = copy
    bytes.withLock { bytes in
      if bytes.count > offset { bytes.removeLast(bytes.count - offset) }
      bytes += added
    }
  }

  func truncate(to length: Int) throws(StorageError) {
    bytes.withLock { bytes in
      if bytes.count > length { bytes.removeLast(bytes.count - length) }
    }
  }

  func sync() throws(StorageError) {}
  func lock() throws(StorageError) {}
  func unlock() {}
}
