internal import SessionCore
internal import Wire

/// The offsets of some `run` records in a log (the marks), each with the sequence of the first entry in its record. Offsets and
/// sequences are in rising order. Marks have a minimum distance, so the marks of a log of one gigabyte take less than 400 KiB.
package struct LogMarks: Equatable, Sendable {
  /// A recorded position: the offset of a `run` record, the CRC before this record, and the sequence of its first entry.
  struct Mark: Equatable, Sendable {
    /// The offset of the run's record.
    var offset: Int
    /// The CRC of the previous record.
    var chain: UInt32
    /// The sequence of the run's first entry.
    var sequence: UInt64
  }

  /// The minimum number of bytes between the offsets of two marks.
  static let distance = 1 << 16
  private(set) var marks: [Mark] = []

  /// Adds a mark (`Mark`) for a record, if the record is a run and its offset is at least `distance` bytes after the last mark.
  mutating func add(_ kind: UInt8, _ body: Span<UInt8>, at offset: Int, chain: UInt32) {
    guard kind == SessionRecord.Kind.run.rawValue else { return }
    if let last = marks.last, offset - last.offset < Self.distance { return }
    guard let sequence = Self.firstSequence(ofRun: body) else { return }
    marks.append(Mark(offset: offset, chain: chain, sequence: sequence))
  }

  /// Returns the last mark whose sequence is not higher than `sequence`. In the log, all entries from `sequence` onwards are at
  /// the offset of this mark or behind it.
  func mark(before sequence: UInt64) -> Mark? {
    marks.last { $0.sequence <= sequence }
  }

  /// Removes the marks whose offset is `offset` or higher.
  mutating func cut(at offset: Int) {
    while let last = marks.last, last.offset >= offset { marks.removeLast() }
  }

  /// Returns the sequence of the first entry in a run; nil for bytes that are not a run. Such bytes are not an error here,
  /// because reading the log reports them.
  static func firstSequence(ofRun body: Span<UInt8>) -> UInt64? {
    var frames = RunFrames()
    guard let frame = try? frames.next(in: body) else { return nil }
    let entry = try? GatewayEntry.parse(body, at: frame.entries.lowerBound)
    return entry?.sequence
  }
}
