internal import SessionCore
internal import Wire

/// Where in a log some of its runs begin, with the sequences they begin with, both rising: every run at least so many bytes
/// behind the one before. A log of a gigabyte has less than 400 KiB of them.
package struct LogMarks: Equatable, Sendable {
  /// One run.
  struct Mark: Equatable, Sendable {
    /// Where its record begins.
    var offset: Int
    /// The CRC of the record before.
    var chain: UInt32
    /// The sequence of its first entry.
    var sequence: UInt64
  }

  /// The least distance of two marks.
  static let distance = 1 << 16
  private(set) var marks: [Mark] = []

  /// Takes note of a record, if it is a run worth a mark.
  mutating func note(_ kind: UInt8, _ body: Span<UInt8>, at offset: Int, chain: UInt32) {
    guard kind == SessionRecord.Kind.run.rawValue else { return }
    if let last = marks.last, offset - last.offset < Self.distance { return }
    guard let sequence = Self.firstSequence(ofRun: body) else { return }
    marks.append(Mark(offset: offset, chain: chain, sequence: sequence))
  }

  /// The last run that begins at or before a sequence, so that all from that sequence on follows it.
  func mark(before sequence: UInt64) -> Mark? {
    marks.last { $0.sequence <= sequence }
  }

  /// Forgets those at and behind an offset.
  mutating func cut(at offset: Int) {
    while let last = marks.last, last.offset >= offset { marks.removeLast() }
  }

  /// `nil` for what is no run: whoever reads the log will say so.
  private static func firstSequence(ofRun body: Span<UInt8>) -> UInt64? {
    var frames = RunFrames()
    guard let frame = try? frames.next(in: body) else { return nil }
    let entry = try? GatewayEntry.parse(body, at: frame.entries.lowerBound)
    return entry?.sequence
  }
}
