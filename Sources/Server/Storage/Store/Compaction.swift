internal import Glibc
internal import SessionCore
internal import Wire

/// A new log that is being written, and that will replace the old log. Not `Sendable`: it belongs to one store.
final class Compaction {
  /// The number of bytes of the old log that are copied at a time.
  static let slice = 1 << 18

  /// The new file; nil after `abandon`.
  private var file: (any SessionFile)?
  private(set) var end: OpenLog.Position
  private(set) var marks = LogMarks()
  /// The end of the copied part of the old log.
  private(set) var copied: OpenLog.Position

  /// Writes the first record into the empty file `file`. The caller then adds records that replace the part of the old log before
  /// `start`.
  init(_ file: any SessionFile, start: OpenLog.Position) throws(StorageError) {
    self.file = file
    copied = start
    end = try LogFormat.begin(file)
  }

  /// Returns the new file.
  /// - Throws: ECANCELED after `abandon`.
  func open() throws(StorageError) -> any SessionFile {
    guard let file else { throw StorageError(.compactLog, code: ECANCELED) }
    return file
  }

  /// Gives up the new file, and returns it so that the caller can close it.
  func abandon() -> (any SessionFile)? {
    defer { file = nil }
    return file
  }

  /// Writes records.
  func add(_ records: [SessionRecord]) throws(StorageError) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(LogFormat.length(of: records))
    var after = end
    for record in records {
      guard record.body.count < LogFormat.maximumLength else {
        throw StorageError(.compactLog, code: EMSGSIZE)
      }
      LogFormat.append(record, chain: &after.chain, to: &bytes)
    }
    try write(bytes, after.chain)
  }

  /// Copies the next records of the old log: about `slice` bytes, and at most up to the offset `limit`.
  /// - Throws: `StorageError`; EBADMSG if the old log is damaged, because a copy would hide the damage.
  func copySlice(of old: any SessionFile, to limit: Int) throws(StorageError) {
    var reader = LogReader(
      old, from: copied.length, chain: copied.chain, to: limit, chunk: Self.slice)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(Self.slice, limit - copied.length) + LogFormat.overhead)
    var chain = end.chain
    while reader.offset - copied.length < Self.slice {
      let step = try reader.next()
      guard case .record(let kind, let body) = step else {
        guard step == .end else { throw StorageError(.compactLog, code: EBADMSG) }
        break
      }
      let record = reader.buffer.span.extracting(body)
      marks.add(kind, record, at: end.length + bytes.count, chain: chain)
      LogFormat.append(kind, record, chain: &chain, to: &bytes)
    }
    try write(bytes, chain)
    copied = OpenLog.Position(length: reader.offset, chain: reader.chain)
  }

  /// Copies all readable records of a damaged log.
  ///
  /// - Parameters:
  ///   - damaged: the log.
  ///   - expected: the earlier result of reading the log.
  /// - Throws: `StorageError`; ESTALE if the result of reading the log is different now.
  func copyReadable(of damaged: any SessionFile, expecting expected: LogEnd) throws(StorageError) {
    var bytes: [UInt8] = []
    var chain = end.chain
    var failure: StorageError?
    let found: LogEnd
    do throws(StorageError) {
      found = try LogSnapshot(damaged).read { (record, body) throws(RecordError) in
        guard failure == nil else { return }
        marks.add(record.kind, body, at: end.length + bytes.count, chain: chain)
        LogFormat.append(record.kind, body, chain: &chain, to: &bytes)
        guard bytes.count >= Self.slice else { return }
        do throws(StorageError) {
          try write(bytes, chain)
          bytes.removeAll(keepingCapacity: true)
        } catch {
          failure = error
        }
      }
    } catch {
      if case .failed = error { throw error }
      throw StorageError(.openLog, code: ESTALE)
    }
    if let failure { throw failure }
    guard found.offset == expected.offset, found.chain == expected.chain, found.skipped == expected.skipped
    else { throw StorageError(.openLog, code: ESTALE) }
    try write(bytes, chain)
  }

  private func write(_ bytes: [UInt8], _ chain: UInt32) throws(StorageError) {
    try open().write(bytes.span, at: end.length)
    end = OpenLog.Position(length: end.length + bytes.count, chain: chain)
  }
}
