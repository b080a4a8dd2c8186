package import FoundationEssentials
internal import Wire

/// The contents of a `time` record, in eight bytes: the time at which the run directly before it was stored.
package struct TimeRecord: Equatable {
  /// The upper bound of the valid times, which is itself not valid: JavaScript represents whole numbers exactly only up to 2^53.
  private static let end: UInt64 = 1 << 53

  /// The time in milliseconds since 1970, by the gateway's clock.
  package var milliseconds: UInt64

  /// Creates the record of a time. A time outside the valid range becomes the nearest valid time.
  package init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    self.milliseconds = UInt64(exactly: max(0, min(milliseconds, Double(Self.end - 1)))) ?? 0
  }

  /// Reads the body of a `time` record.
  ///
  /// - Throws: `RecordError` for any other body.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    try RecordError.expect(.time, 8, of: body)
    milliseconds = body.uint64(at: 0)
    guard milliseconds < Self.end else { throw RecordError(.time, .numberTooLarge(milliseconds)) }
  }

  /// The `time` record with these contents.
  package var encoded: SessionRecord {
    var body: [UInt8] = []
    body.append(bigEndian: milliseconds)
    return SessionRecord(kind: .time, body: body)
  }
}
