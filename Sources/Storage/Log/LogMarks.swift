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

  /// A run's first frame: u32 bytes, u32 targets (all bits set: everybody), so many u32, and an entry, whose sequence
  /// stands behind its length, its flags and the length of its type. `nil` for what is too short to be one.
  private static func firstSequence(ofRun body: Span<UInt8>) -> UInt64? {
    guard body.count >= 8 else { return nil }
    let targets = body.uint32(at: 4)
    let entry = 8 + (targets == .max ? 0 : 4 * Int(targets))
    guard body.count >= entry + 14 else { return nil }
    return body.uint64(at: entry + 6)
  }
}
