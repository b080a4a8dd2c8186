package import Wire

/// What a `numbers` record says: numbers up to this one may have been given out. Four bytes.
package struct NumbersRecord: Equatable {
  /// The highest number that a session counts to: a block lies behind it.
  static let highest: ParticipantNumber = 0xFFFF_0000

  /// No number above it was given out.
  package var through: ParticipantNumber

  init(through: ParticipantNumber) {
    self.through = through
  }

  /// Reads the body of such a record.
  ///
  /// - Throws: `RecordError` when it is none.
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

/// What a `used` record says: client sequences that were used up without an entry. Eight bytes each.
package struct ConsumedSequencesRecord: Equatable {
  /// Up to which of their client sequences somebody has used them up.
  package struct Pair: Equatable {
    /// Whose.
    package var number: ParticipantNumber
    /// The last one.
    package var clientSequence: UInt32
  }

  /// At most one of each participant.
  package var pairs: [Pair]

  init(_ pairs: [Pair]) {
    self.pairs = pairs
  }

  /// Reads the body of such a record.
  ///
  /// - Throws: `RecordError` when it is none.
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
  /// Checks how long a body is whose length is known.
  static func expect(
    _ kind: SessionRecord.Kind, _ count: Int, of body: Span<UInt8>
  ) throws(RecordError) {
    if body.count < count { throw RecordError(kind, .cutShort(needed: count, have: body.count)) }
    if body.count > count { throw RecordError(kind, .tooLong(extra: body.count - count)) }
  }
}
