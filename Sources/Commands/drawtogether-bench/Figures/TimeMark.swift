/// The mark at the beginning of a payload: the sender, and the time at which the message was sent. If messages are sent on
/// schedule (an open loop), the time is the scheduled one, even if the message is sent later.
struct TimeMark: Equatable, Sendable {
  /// The length in bytes: four for `magic`, which identifies the mark, eight for the time, and four for the sender.
  static let length = 16
  private static let magic: UInt32 = 0xC1D7_5A9E

  /// Nanoseconds of the monotonic clock.
  let time: UInt64
  /// The number of the sending socket.
  let sender: UInt32

  /// Parses the mark of a payload; nil without a mark.
  @inline(__always)
  init?(_ bytes: Span<UInt8>, payload: Range<Int>) {
    guard payload.count >= Self.length, bytes.load(at: payload.lowerBound) == Self.magic else { return nil }
    time = bytes.load(at: payload.lowerBound + 4)
    sender = bytes.load(at: payload.lowerBound + 12)
  }

  /// Creates a mark.
  init(time: UInt64, sender: UInt32) {
    self.time = time
    self.sender = sender
  }

  /// Writes the mark over the first bytes of a payload.
  func write(to payload: inout [UInt8]) {
    precondition(payload.count >= Self.length, "a payload must have room for a time mark")
    for index in 0..<4 { payload[index] = UInt8(truncatingIfNeeded: Self.magic >> (24 - 8 * UInt32(index))) }
    for index in 0..<8 { payload[4 + index] = UInt8(truncatingIfNeeded: time >> (56 - 8 * UInt64(index))) }
    for index in 0..<4 { payload[12 + index] = UInt8(truncatingIfNeeded: sender >> (24 - 8 * UInt32(index))) }
  }
}
