package import FoundationEssentials
package import SessionCore
internal import Wire

/// A log as it was when it was opened: whatever is written behind it, or put in its place, this reads the same each time.
///
/// Any thread may use it.
package struct KeptLog: Sendable {
  /// A record that is given to whoever reads.
  package struct Record: Sendable {
    /// The number of its kind.
    package let kind: UInt8
    /// Where it begins in the file.
    package let offset: Int

    /// What kind that is; `nil` when this version does not know it.
    package var known: SessionRecord.Kind? { SessionRecord.Kind(rawValue: kind) }
  }

  private let file: any SessionFile
  /// In bytes.
  package let length: Int
  /// When it was written to last.
  package let modified: Date
  private let changed: Date

  init(_ file: any SessionFile) throws(LogError) {
    self.file = file
    do throws(StorageError) {
      (length, modified, changed) = try file.information()
    } catch {
      throw .file(error)
    }
  }

  /// Reads up to the first record that fails its check.
  ///
  /// - Parameter body: is given each record and its body, in their order, the store's own first record left out.
  /// - Returns: where the last whole record ends, and what is wrong behind it.
  /// - Throws: `LogError` when it cannot be used. A log that ends within its first record has no records, and is no error.
  package func read(
    _ body: (Record, Span<UInt8>) throws(RecordError) -> Void
  ) throws(LogError) -> LogEnd {
    var end = LogEnd(
      offset: 0, chain: 0, length: length, changed: changed, marks: LogMarks(), damage: nil)
    guard try checkStart() else {
      end.damage = .torn
      return end
    }
    var reader = LogReader(file, from: LogFormat.firstRecord.count, chain: LogFormat.firstChain, to: length)
    while true {
      let (offset, chain) = (reader.offset, reader.chain)
      switch try Self.step(&reader) {
      case .record(let kind, let range):
        let record = reader.buffer.span.extracting(range)
        end.marks.note(kind, record, at: offset, chain: chain)
        do throws(RecordError) {
          try body(Record(kind: kind, offset: offset), record)
        } catch {
          throw .record(error)
        }
      case .end:
        (end.offset, end.chain) = (offset, chain)
        return end
      case .damage(let damage):
        (end.offset, end.chain, end.damage) = (offset, chain, damage)
        return end
      }
    }
  }

  /// Returns the body of the first record of a kind, looking at the first few records only; nil when it is not among them.
  ///
  /// - Throws: `LogError` when the log cannot be used.
  package func first(_ kind: SessionRecord.Kind) throws(LogError) -> [UInt8]? {
    guard try checkStart() else { return nil }
    var reader = LogReader(
      file, from: LogFormat.firstRecord.count, chain: LogFormat.firstChain, to: length, chunk: Self.headBytes)
    for _ in 0..<Self.headRecords {
      guard case .record(let found, let body) = try Self.step(&reader) else { return nil }
      if found == kind.rawValue { return Array(reader.buffer[body]) }
    }
    return nil
  }

  /// The part of a log that `first` reads at a time, and the records that it looks at.
  private static let headBytes = 4096
  private static let headRecords = 4

  /// The last record, found from the file's end without reading the rest.
  ///
  /// - Returns: `nil` when the log does not end with a whole record, or holds none.
  /// - Throws: `LogError` when it cannot be used.
  package func last() throws(LogError) -> LastRecord? {
    try tail().map(record)
  }

  /// What is told of a last record.
  func record(_ tail: LogTail) -> LastRecord {
    LastRecord(kind: tail.kind, body: tail.body, modified: modified, length: length)
  }

  /// The last record and its CRC; as `last`.
  func tail() throws(LogError) -> LogTail? {
    guard try checkStart() else { return nil }
    do throws(StorageError) {
      guard let last = try LogTail.last(of: file, length: length), last.offset > 0 else { return nil }
      return last
    } catch {
      throw .file(error)
    }
  }

  /// Looks at the first record, whose frame is the same in every version.
  ///
  /// - Returns: false when the file ends within it.
  private func checkStart() throws(LogError) -> Bool {
    let expected = LogFormat.firstRecord
    var bytes = [UInt8](repeating: 0, count: min(length, expected.count))
    do throws(StorageError) {
      guard try file.read(into: &bytes, at: 0, count: bytes.count, from: 0) == bytes.count else {
        throw StorageError.shorter
      }
    } catch {
      throw .file(error)
    }
    if bytes == expected { return true }
    if bytes.count < expected.count, expected.starts(with: bytes) { return false }
    var reader = LogReader(file, from: 0, chain: 0, to: length)
    guard case .record(LogFormat.formatKind, let body) = try Self.step(&reader),
      body.count >= LogFormat.magic.count + 4,
      reader.buffer[body].starts(with: LogFormat.magic)
    else { throw .damagedStart }
    let version = reader.buffer.span.uint32(at: body.lowerBound + LogFormat.magic.count)
    guard version > LogFormat.version else { throw .damagedStart }
    throw .newerVersion(found: version, known: LogFormat.version)
  }

  private static func step(_ reader: inout LogReader) throws(LogError) -> LogReader.Step {
    do throws(StorageError) {
      return try reader.next()
    } catch {
      throw .file(error)
    }
  }
}
