internal import Wire

/// A snapshot as of one sequence, made once for all who join in a turn: control frame, state, base, control frame.
///
/// It holds on to the segments that it began with, so that it gives the state of one moment.
package final class CatchUp {
  /// A part of it: all bytes of `segment` before `end`.
  struct Part {
    var segment: Segment
    var end: Int
    /// Stands for all that is retained there: there is a compressed form of it.
    var isCompressible = false
  }

  /// The sequence of the state that it gives.
  package let sequence: UInt64
  /// From where the subscriber goes on when it has taken all of it.
  let continuesAt: Cursor
  private(set) var parts: [Part]
  /// Which of the first parts have their compressed form already; nil: this one is for those who did not agree on it.
  private var compressedParts: Int?

  init(
    sequence: UInt64, continuesAt: Cursor, opening: Segment, retained: [Part], closing: Segment
  ) {
    self.sequence = sequence
    self.continuesAt = continuesAt
    let whole = { (segment: Segment) in Part(segment: segment, end: segment.bytes.count) }
    parts = ([whole(opening)] + retained + [whole(closing)]).filter { $0.end > 0 }
  }

  /// The same for those who agreed on compression.
  init(compressed other: CatchUp) {
    sequence = other.sequence
    continuesAt = other.continuesAt
    parts = other.parts
    compressedParts = 0
  }

  /// Puts the compressed form of a part in its place before the first subscriber takes anything of it.
  /// - Returns: whether it was time for that.
  func prepare(_ part: Int, by compress: MessageCompressor) -> Bool {
    guard compressedParts == part else { return false }
    compressedParts = part + 1
    guard parts[part].isCompressible else { return false }
    (parts[part].segment, parts[part].end) = parts[part].segment.compressed(
      before: parts[part].end, by: compress)
    return true
  }

  var byteCount: Int { parts.reduce(0) { $0 + $1.end } }
}

/// How far one subscriber is in its catch-up.
final class CatchUpProgress {
  let catchUp: CatchUp
  private(set) var part = 0
  private(set) var offset = 0

  init(_ catchUp: CatchUp) {
    self.catchUp = catchUp
  }

  /// The parts that are not wholly sent, each with where it ends.
  var remaining: ArraySlice<CatchUp.Part> { catchUp.parts[part...] }
  /// Bytes that are still to be sent.
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
