internal import Glibc
internal import SessionCore
internal import Wire

/// A log that is written to: how far it goes, and the file as long as that is open.
///
/// Not `Sendable`: it lives in one store.
final class OpenLog {
  /// Where a log ends.
  struct Position: Equatable {
    /// In bytes.
    var length: Int
    /// The CRC of the last record.
    var chain: UInt32
  }

  let id: SessionID
  /// `nil` while it is closed, so that others can be open.
  private(set) var file: (any SessionFile)?
  private(set) var end: Position
  private(set) var marks: LogMarks
  /// Something may stand behind the end, of a write that failed.
  private(set) var hasLeftover = false
  /// The name of the file is not known to be on the disk.
  var hasNewName = false
  /// What the file may hold instead, after a new name that may have been given or not.
  private var successor: (end: Position, marks: LogMarks)?
  /// The number of its last append that is stored; nil if there is none.
  var lastAppend: UInt64?
  /// The time of its last use, counted in uses of all logs.
  var usedAt: UInt64 = 0

  init(_ id: SessionID, _ file: any SessionFile, end: Position, marks: LogMarks) {
    self.id = id
    self.file = file
    self.end = end
    self.marks = marks
  }

  /// Writes records behind the end: all or, when it throws, none.
  ///
  /// - Parameters:
  ///   - records: what to write.
  ///   - room: memory to put them together in, empty before and after.
  /// - Throws: `StorageError`; EMSGSIZE for a record that none would read.
  func write(_ records: [SessionRecord], _ room: inout [UInt8]) throws(StorageError) {
    let file = try open()
    try cutLeftover(of: file)
    defer { room.removeAll(keepingCapacity: room.capacity <= Self.roomKept) }
    guard records.allSatisfy({ $0.body.count < LogFormat.maximumLength }) else {
      throw StorageError(.writeLog, code: EMSGSIZE)
    }
    var after = end
    for record in records {
      marks.note(
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

  /// Takes back what was written since. Should the file refuse it, the next write tries again first.
  func cut(back position: Position) {
    end = position
    marks.cut(at: position.length)
    hasLeftover = true
    // Told by the next write, if it is so for long.
    if let file { try? cutLeftover(of: file) }
  }

  /// Closes the file; what of a failed write still stands behind the end goes before, if it can.
  func close() {
    if hasLeftover { cut(back: end) }
    file = nil
  }

  /// Goes on in another file, which holds the same.
  ///
  /// - Returns: the file before, which nothing else refers to any more.
  func replace(with new: any SessionFile, end: Position, marks: LogMarks) -> (any SessionFile)? {
    let old = file
    (file, self.end, self.marks, hasLeftover) = (new, end, marks, false)
    return old
  }

  /// Closes the file because another one may have taken its place; the next opening finds out.
  func close(maybeReplacedBy end: Position, _ marks: LogMarks) {
    close()
    successor = (end, marks)
  }

  /// Opens the file again if it was closed.
  ///
  /// - Throws: `StorageError`; ESTALE when it does not hold what was written to it.
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
