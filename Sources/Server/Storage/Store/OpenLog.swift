internal import Glibc
internal import SessionCore
internal import Wire

/// A log that records are appended to: its end, and its file while the file is open. Not `Sendable`: it belongs to one store.
final class OpenLog {
  /// The end of a log.
  struct Position: Equatable {
    /// The length in bytes.
    var length: Int
    /// The CRC of the last record.
    var chain: UInt32
  }

  let id: SessionID
  /// The file; nil while it is closed, so that other files can be open.
  private(set) var file: (any SessionFile)?
  private(set) var end: Position
  private(set) var marks: LogMarks
  /// True if the file may have bytes of a failed write after the offset `end.length`.
  private(set) var hasLeftover = false
  /// True if a power cut could still lose the file's name, because the folder was not synced after the file got this name.
  var hasNewName = false
  /// The end of a compacted file, and the offsets of the runs in this file; set while it is unknown whether this file has
  /// replaced the log's old file.
  private var successor: (end: Position, marks: LogMarks)?
  /// The number of the last stored append; nil if there is none.
  var lastAppend: UInt64?
  /// The number of the last use of this log. The uses of all logs are numbered together, from 1. The number is 0 while this log
  /// is not in `OpenFiles`.
  var usedAt: UInt64 = 0

  init(_ id: SessionID, _ file: any SessionFile, end: Position, marks: LogMarks) {
    self.id = id
    self.file = file
    self.end = end
    self.marks = marks
  }

  /// Appends all records. If it throws, no records are appended.
  ///
  /// - Parameters:
  ///   - records: the records.
  ///   - room: a buffer for their bytes, empty before and after.
  /// - Throws: `StorageError`; EMSGSIZE for a record that is too long to be read.
  func write(_ records: [SessionRecord], _ room: inout [UInt8]) throws(StorageError) {
    let file = try open()
    try cutLeftover(of: file)
    defer { room.removeAll(keepingCapacity: room.capacity <= Self.roomKept) }
    guard records.allSatisfy({ $0.body.count < LogFormat.maximumLength }) else {
      throw StorageError(.writeLog, code: EMSGSIZE)
    }
    var after = end
    for record in records {
      marks.add(
        record.kind.rawValue, record.body.span, at: end.length + room.count, chain: after.chain)
      LogFormat.append(record, chain: &after.chain, to: &room)
    }
    after.length += room.count
    do throws(StorageError) {
      try file.write(room.span, at: end.length)
    } catch {
      cut(back: end)
      throw error
    }
    end = after
  }

  /// Removes the bytes after a position. If the removal fails, the next write first tries again to remove them.
  func cut(back position: Position) {
    end = position
    marks.cut(at: position.length)
    hasLeftover = true
    // An error is ignored here, because the next write tries the removal again and reports the error.
    if let file { try? cutLeftover(of: file) }
  }

  /// Closes the file. Before that, removes bytes of a failed write after the end, if possible.
  func close() {
    if hasLeftover { cut(back: end) }
    file = nil
  }

  /// Replaces the file by another file with the same records.
  /// - Returns: the previous file. No other code has a reference to it.
  func replace(with new: any SessionFile, end: Position, marks: LogMarks) -> (any SessionFile)? {
    let old = file
    (file, self.end, self.marks, hasLeftover) = (new, end, marks, false)
    return old
  }

  /// Closes the file because another file may have replaced it. The next call of `open` finds out which file is in place.
  func close(maybeReplacedBy end: Position, _ marks: LogMarks) {
    close()
    successor = (end, marks)
  }

  /// Opens the file if it is closed.
  /// - Throws: `StorageError`; ESTALE if the file does not contain the written bytes.
  func open(with disk: any SessionDisk) throws(StorageError) {
    guard file == nil else { return }
    let opened = try disk.openFile(.current, of: id, toWrite: true)
    let length = try opened.information().length
    if let successor, try Self.holds(opened, length, successor.end) {
      (end, marks) = successor
      hasNewName = true
    } else if try !Self.holds(opened, length, end) {
      throw StorageError(.openLog, code: ESTALE)
    }
    successor = nil
    hasLeftover = length > end.length
    file = opened
  }

  private static func holds(
    _ file: any SessionFile, _ length: Int, _ end: Position
  ) throws(StorageError) -> Bool {
    guard length >= end.length else { return false }
    return try LogTail.chain(of: file, at: end.length) == end.chain
  }

  private static let roomKept = 1 << 22

  private func open() throws(StorageError) -> any SessionFile {
    guard let file else { throw StorageError(.openLog, code: EBADF) }
    return file
  }

  private func cutLeftover(of file: any SessionFile) throws(StorageError) {
    guard hasLeftover else { return }
    try file.truncate(to: end.length)
    hasLeftover = false
  }
}
