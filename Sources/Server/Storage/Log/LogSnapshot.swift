package import FoundationEssentials
package import SessionCore
internal import Wire

/// A log in the state in which it was opened. Later appends to the log, and a replacement of the log file, do not change the
/// bytes that are read. Any thread may use this value.
package struct LogSnapshot: Sendable {
  /// A record in the log.
  package struct Record: Sendable {
    /// The number of the record's kind.
    package let kind: UInt8
    /// The offset of the record's first byte in the file.
    package let offset: Int

    /// The kind of the record; nil if this version of the program does not know the kind.
    package var known: SessionRecord.Kind? { SessionRecord.Kind(rawValue: kind) }
  }

  private let file: any SessionFile
  /// The length in bytes.
  package let length: Int
  /// The time of the last write.
  package let modified: Date
  private let changed: Date

  init(_ file: any SessionFile) throws(StorageError) {
    self.file = file
    (length, modified, changed) = try file.information()
  }

  /// Reads all readable records, and skips damaged bytes between them.
  ///
  /// - Parameters:
  ///   - body: receives each record and its body in their order, except the store's own first record.
  ///   - skipped: receives the number of lost bytes, before `body` receives the record that follows these bytes.
  /// - Returns: the end of the last whole record, and the damage before and after it.
  /// - Throws: `StorageError` when the log cannot be used. A log that ends within its first record is valid and has no records.
  package func read(
    _ body: (Record, Span<UInt8>) throws(RecordError) -> Void, skipped: (Int) -> Void = { _ in }
  ) throws(StorageError) -> LogEnd {
    var end = LogEnd(
      offset: 0, chain: 0, length: length, changed: changed, marks: LogMarks(), damage: nil)
    switch try checkStart() {
    case .whole: break
    case .cut:
      end.damage = .torn
      return end
    case .damaged: end.skipped = [SkippedBytes(range: 0..<LogFormat.firstRecord.count, isLost: false)]
    }
    var reader = LogReader(file, from: LogFormat.firstRecord.count, chain: LogFormat.firstChain, to: length)
    (end.offset, end.chain) = (reader.offset, reader.chain)
    while true {
      let (offset, chain) = (reader.offset, reader.chain)
      switch try reader.next() {
      case .record(let kind, let range):
        if offset > end.offset {
          end.skipped.append(SkippedBytes(range: end.offset..<offset, isLost: true))
          skipped(offset - end.offset)
        }
        try give(kind, range, of: reader, at: offset, chain, &end, to: body)
      case .end:
        if offset > end.offset { end.damage = .broken }
        return end
      case .damage(let damage):
        switch try reader.resume() {
        case .record(let kind, let range):
          if offset > end.offset {
            end.skipped.append(SkippedBytes(range: end.offset..<offset, isLost: true))
            skipped(offset - end.offset)
          }
          end.skipped.append(SkippedBytes(range: offset..<reader.offset, isLost: false))
          try give(kind, range, of: reader, at: offset, chain, &end, to: body)
        // If a record follows the skipped bytes, the next iteration counts these bytes as lost. Otherwise, the log ends before
        // these bytes.
        case .skipped: continue
        case nil:
          end.damage = offset > end.offset ? .broken : damage
          return end
        }
      }
    }
  }

  private func give(
    _ kind: UInt8, _ range: Range<Int>, of reader: LogReader, at offset: Int, _ chain: UInt32,
    _ end: inout LogEnd, to body: (Record, Span<UInt8>) throws(RecordError) -> Void
  ) throws(StorageError) {
    let record = reader.buffer.span.extracting(range)
    end.marks.add(kind, record, at: offset, chain: chain)
    (end.offset, end.chain) = (reader.offset, reader.chain)
    do throws(RecordError) {
      try body(Record(kind: kind, offset: offset), record)
    } catch {
      throw .record(error)
    }
  }

  /// Returns the body of the first record of a kind; nil if the first few records are all of other kinds.
  ///
  /// - Throws: `StorageError` when the log cannot be used.
  package func first(_ kind: SessionRecord.Kind) throws(StorageError) -> [UInt8]? {
    guard try checkStart() == .whole else { return nil }
    var reader = LogReader(
      file, from: LogFormat.firstRecord.count, chain: LogFormat.firstChain, to: length, chunk: Self.headBytes)
    for _ in 0..<Self.headRecords {
      guard case .record(let found, let body) = try reader.next() else { return nil }
      if found == kind.rawValue { return Array(reader.buffer[body]) }
    }
    return nil
  }

  /// The number of bytes that `first` reads at a time, and the maximum number of records that it reads.
  private static let headBytes = 4096
  private static let headRecords = 4

  /// Returns the last record of the log. Reads backward from the end of the file, so it does not read all records of the log.
  /// - Returns: nil if the log has no records, or the last one is incomplete or damaged.
  /// - Throws: `StorageError` if the log cannot be used.
  package func last() throws(StorageError) -> LastRecord? {
    try tail().map(record)
  }

  /// Returns the values of the last record that other modules need.
  func record(_ tail: LogTail) -> LastRecord {
    LastRecord(kind: tail.kind, body: tail.body, modified: modified, length: length)
  }

  /// Returns the last record with its CRC; nil in the same cases as `last`.
  func tail() throws(StorageError) -> LogTail? {
    guard try checkStart() != .cut else { return nil }
    guard let last = try LogTail.last(of: file, length: length), last.offset > 0 else { return nil }
    return last
  }

  /// The state of the beginning of a log.
  private enum Start {
    /// The complete first record.
    case whole
    /// A part of the first record, because the file ends within it.
    case cut
    /// The first record is damaged. The second record is undamaged: its CRC was computed from the CRC that an undamaged first
    /// record has.
    case damaged
  }

  /// Checks the first record. The frame of this record is the same in every version.
  private func checkStart() throws(StorageError) -> Start {
    let expected = LogFormat.firstRecord
    var bytes = [UInt8](repeating: 0, count: min(length, expected.count))
    guard try file.read(into: &bytes, at: 0, count: bytes.count, from: 0) == bytes.count else {
      throw .shorter
    }
    if bytes == expected { return .whole }
    if bytes.count < expected.count, expected.starts(with: bytes) { return .cut }
    var second = LogReader(file, from: expected.count, chain: LogFormat.firstChain, to: length)
    if case .record = try second.next() { return .damaged }
    var reader = LogReader(file, from: 0, chain: 0, to: length)
    guard case .record(LogFormat.formatKind, let body) = try reader.next(),
      body.count >= LogFormat.magic.count + 4,
      reader.buffer[body].starts(with: LogFormat.magic)
    else { throw .damagedStart }
    let version = reader.buffer.span.uint32(at: body.lowerBound + LogFormat.magic.count)
    guard version > LogFormat.version else { throw .damagedStart }
    throw .newerVersion(found: version, known: LogFormat.version)
  }
}
