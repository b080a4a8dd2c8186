package import Wire

/// The contents of a `numbers` record, in four bytes: the highest participant number that may have been assigned.
package struct NumbersRecord: Equatable {
  /// The highest possible participant number. One more block of numbers still fits between this number and the highest `UInt32`.
  static let highest: ParticipantNumber = 0xFFFF_0000

  /// The last number of the newest block of numbers. Higher numbers were not assigned.
  package var through: ParticipantNumber

  init(through: ParticipantNumber) {
    self.through = through
  }

  /// Reads the body of a `numbers` record.
  ///
  /// - Throws: `RecordError` for any other body.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    try RecordError.expect(.numbers, 4, of: body)
    through = body.uint32(at: 0)
    guard through <= Self.highest else {
      throw RecordError(.numbers, .numberTooLarge(UInt64(through)))
    }
  }

  var encoded: SessionRecord {
    var body: [UInt8] = []
    body.append(bigEndian: through)
    return SessionRecord(kind: .numbers, body: body)
  }
}

/// The contents of a `used` record: the client sequences that refused entries used up. Each pair of a participant and a client
/// sequence takes eight bytes.
package struct ConsumedSequencesRecord: Equatable {
  /// A participant, and the last of its client sequences that a refused entry used up.
  package struct Pair: Equatable {
    /// The number of the participant.
    package var number: ParticipantNumber
    /// The last client sequence of the participant that a refused entry used up.
    package var clientSequence: UInt32
  }

  /// The pairs; at most one for each participant.
  package var pairs: [Pair]

  init(_ pairs: [Pair]) {
    self.pairs = pairs
  }

  /// Reads the body of a `used` record.
  ///
  /// - Throws: `RecordError` if the length of the body is not a multiple of 8.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    try RecordError.expect(.used, (body.count + 7) / 8 * 8, of: body)
    pairs = []
    pairs.reserveCapacity(body.count / 8)
    for offset in stride(from: 0, to: body.count, by: 8) {
      pairs.append(Pair(number: body.uint32(at: offset), clientSequence: body.uint32(at: offset + 4)))
    }
  }

  var encoded: SessionRecord {
    var body: [UInt8] = []
    body.reserveCapacity(8 * pairs.count)
    for pair in pairs {
      body.append(bigEndian: pair.number)
      body.append(bigEndian: pair.clientSequence)
    }
    return SessionRecord(kind: .used, body: body)
  }
}

extension RecordError {
  /// Checks that a body has exactly `count` bytes.
  static func expect(
    _ kind: SessionRecord.Kind, _ count: Int, of body: Span<UInt8>
  ) throws(RecordError) {
    if body.count < count { throw RecordError(kind, .cutShort(needed: count, have: body.count)) }
    if body.count > count { throw RecordError(kind, .tooLong(extra: body.count - count)) }
  }
}
