internal import Wire

/// A snapshot of the session at one sequence, made once for all participants that join in a turn. It consists of a control frame,
/// the state, the retained entries, and a second control frame.
///
/// The snapshot has references to its segments, so it stays the same when the session changes.
package final class CatchUp {
  /// A part of a snapshot: all bytes of `segment` before `end`.
  struct Part {
    var segment: Segment
    var end: Int
    /// True for a part with only retained entries. Such a part may have a compressed form.
    var isCompressible = false
  }

  /// The sequence at which the snapshot was made.
  package let sequence: UInt64
  /// The cursor at which a subscriber continues after the snapshot.
  let continuesAt: Cursor
  private(set) var parts: [Part]
  /// The number of parts that were replaced by their compressed forms; nil in an uncompressed snapshot.
  private var compressedParts: Int?

  init(
    sequence: UInt64, continuesAt: Cursor, opening: Segment, retained: [Part], closing: Segment
  ) {
    self.sequence = sequence
    self.continuesAt = continuesAt
    let whole = { (segment: Segment) in Part(segment: segment, end: segment.bytes.count) }
    parts = ([whole(opening)] + retained + [whole(closing)]).filter { $0.end > 0 }
  }

  /// Creates a copy of a snapshot, for subscribers that accept compression.
  init(compressed other: CatchUp) {
    sequence = other.sequence
    continuesAt = other.continuesAt
    parts = other.parts
    compressedParts = 0
  }

  /// Replaces a part by its compressed form, before any of its bytes are sent to a subscriber.
  /// - Returns: true if the part was replaced.
  func prepare(_ part: Int, by compress: MessageCompressor) -> Bool {
    guard compressedParts == part else { return false }
    compressedParts = part + 1
    guard parts[part].isCompressible else { return false }
    (parts[part].segment, parts[part].end) = parts[part].segment.compressed(
      before: parts[part].end, by: compress)
    return true
  }

  var byteCount: Int { parts.reduce(0) { $0 + $1.end } }
  /// The number of entries in the snapshot.
  var entryCount: Int { parts.reduce(0) { $0 + $1.segment.entryCount(from: 0, to: $1.end) } }
  /// True if some entries can be sent in a compressed form.
  var isCompressible: Bool { parts.contains { $0.isCompressible } }

  /// All frames of the snapshot.
  var frames: [UInt8] {
    var frames: [UInt8] = []
    frames.reserveCapacity(byteCount)
    for part in parts { frames.append(part.segment.bytes.span.extracting(first: part.end)) }
    return frames
  }
}

/// The progress of one subscriber in its catch-up.
final class CatchUpProgress {
  let catchUp: CatchUp
  private(set) var part = 0
  private(set) var offset = 0

  init(_ catchUp: CatchUp) {
    self.catchUp = catchUp
  }

  /// The parts of the snapshot that are not completely sent, the present part first.
  var remaining: ArraySlice<CatchUp.Part> { catchUp.parts[part...] }
  /// Bytes that are not sent yet.
  var left: Int { remaining.reduce(0) { $0 + $1.end } - offset }
  var isBegun: Bool { part > 0 || offset > 0 }
  var isFinished: Bool { part == catchUp.parts.count }
  var isOnBoundary: Bool { isFinished || catchUp.parts[part].segment.isBoundary(offset) }

  func advance(by count: Int) {
    offset += count
    if offset == catchUp.parts[part].end {
      part += 1
      offset = 0
    }
  }
}
