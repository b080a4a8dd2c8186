package import Wire

/// Splits the body of a `run` record into its frames, one at a time.
///
/// A frame consists of: u32 number of bytes of its entries, u32 number of targets (0xFFFFFFFF: every participant), one u32 for
/// each target, and the entries as on the wire.
package struct RunFrames: Sendable {
  /// The value in place of the number of targets, in a frame that is for every participant.
  static let everybody = UInt32.max

  /// One frame of a run.
  package struct Frame: Equatable, Sendable {
    /// The rising numbers of the participants that get the frame; nil means every participant.
    package var targets: [ParticipantNumber]?
    /// The range of the frame's entries in the record's body. A frame has at least one entry.
    package var entries: Range<Int>
  }

  private var offset = 0

  /// Creates a reader at the beginning of a body.
  package init() {}

  /// Returns the next frame.
  ///
  /// - Parameter body: the same bytes in each call.
  /// - Returns: nil at the end of the body.
  /// - Throws: an error if the body ends within a frame, or if the targets of a frame are not in rising order.
  package mutating func next(in body: Span<UInt8>) throws(RecordError) -> Frame? {
    guard offset < body.count else { return nil }
    let length = Int(try uint32(body))
    let count = try uint32(body)
    var targets: [ParticipantNumber]?
    if count != Self.everybody {
      try need(4 * Int(count), body)
      var list: [ParticipantNumber] = []
      list.reserveCapacity(Int(count))
      for _ in 0..<count { list.append(try uint32(body)) }
      guard zip(list, list.dropFirst()).allSatisfy({ $0 < $1 }) else { throw RecordError(.run, .targets) }
      targets = list
    }
    guard length >= GatewayEntry.fixedLength else {
      throw RecordError(.run, .entry(.entryTooShort(length: length, needed: GatewayEntry.fixedLength)))
    }
    try need(length, body)
    defer { offset += length }
    return Frame(targets: targets, entries: offset..<offset + length)
  }

  /// Returns the sequence of the last entry of a run.
  ///
  /// - Returns: nil for a body without a frame.
  /// - Throws: an error if `next` would throw, or if the entries of the last frame cannot be parsed.
  package static func lastSequence(in body: Span<UInt8>) throws(RecordError) -> UInt64? {
    var frames = RunFrames()
    var last: Frame?
    while let frame = try frames.next(in: body) { last = frame }
    guard let last else { return nil }
    var sequence: UInt64 = 0
    var at = last.entries.lowerBound
    while at < last.entries.upperBound {
      let entry = try GatewayEntry.parse(body, at: at, before: last.entries.upperBound, of: .run)
      sequence = entry.sequence
      at = entry.end
    }
    return sequence
  }

  /// Appends the header of a frame, before its entries.
  static func append(targets: [ParticipantNumber]?, length: Int, to body: inout [UInt8]) {
    body.append(bigEndian: UInt32(length))
    body.append(bigEndian: targets.map { UInt32($0.count) } ?? everybody)
    for target in targets ?? [] { body.append(bigEndian: target) }
  }

  private mutating func uint32(_ body: Span<UInt8>) throws(RecordError) -> UInt32 {
    try need(4, body)
    defer { offset += 4 }
    return body.uint32(at: offset)
  }

  private func need(_ count: Int, _ body: Span<UInt8>) throws(RecordError) {
    guard count <= body.count - offset else {
      throw RecordError(.run, .cutShort(needed: offset + count, have: body.count))
    }
  }
}

extension GatewayEntry {
  /// Parses an entry of a record. The frame that contains the entry ends at `end`.
  static func parse(
    _ bytes: Span<UInt8>, at offset: Int, before end: Int, of kind: SessionRecord.Kind
  ) throws(RecordError) -> GatewayEntry {
    do throws(WireError) {
      let entry = try GatewayEntry.parse(bytes, at: offset)
      guard entry.end <= end else {
        throw WireError.entryExceedsMessage(length: entry.end - offset - 4, available: end - offset - 4)
      }
      return entry
    } catch {
      throw RecordError(kind, .entry(error))
    }
  }
}
