internal import Wire

/// A snapshot as of one sequence, made once for all who join in a turn: control frame, state, base, control frame.
///
/// It holds on to the segments that it began with, so that it gives the state of one moment.
package final class CatchUp {
  /// A part of it: all bytes of `segment` before `end`.
  struct Part {
    let segment: Segment
    let end: Int
  }

  /// The sequence of the state that it gives.
  package let sequence: UInt64
  /// From where the reader goes on when it has taken all of it.
  let continuesAt: Cursor
  let parts: [Part]

  init(
    sequence: UInt64, continuesAt: Cursor, opening: Segment, base: [Segment], closing: Segment
  ) {
    self.sequence = sequence
    self.continuesAt = continuesAt
    parts = ([opening] + base + [closing]).map { Part(segment: $0, end: $0.bytes.count) }
      .filter { $0.end > 0 }
  }

  var byteCount: Int { parts.reduce(0) { $0 + $1.end } }
}

/// How far a reader is in its catch-up.
struct CatchUpProgress {
  let catchUp: CatchUp
  var part = 0
  var offset = 0

  /// The parts that are not wholly sent, each with where it ends.
  var remaining: ArraySlice<CatchUp.Part> { catchUp.parts[part...] }
  /// Bytes that are still to be sent.
  var left: Int { remaining.reduce(0) { $0 + $1.end } - offset }
  var isFinished: Bool { part == catchUp.parts.count }
  var isOnBoundary: Bool { isFinished || catchUp.parts[part].segment.isBoundary(offset) }

  mutating func advance(by count: Int) {
    offset += count
    if offset == catchUp.parts[part].end {
      part += 1
      offset = 0
    }
  }
}
