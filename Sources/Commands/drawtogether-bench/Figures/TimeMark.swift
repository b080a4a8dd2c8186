/// What a payload begins with, so that a reader knows when and by whom it was sent.
struct TimeMark: Equatable, Sendable {
  /// Four bytes by which a payload is known as ours, the time, and the sender.
  static let length = 16
  private static let word: UInt32 = 0xC1D7_5A9E

  /// Nanoseconds on the machine's monotonic clock.
  let time: UInt64
  /// The number of the socket that sent it.
  let sender: UInt32

  /// Reads the mark that a payload begins with; nil when it is none of ours.
  @inline(__always)
  init?(_ bytes: Span<UInt8>, payload: Range<Int>) {
    guard payload.count >= Self.length, bytes.load(at: payload.lowerBound) == Self.word else { return nil }
    time = bytes.load(at: payload.lowerBound + 4)
    sender = bytes.load(at: payload.lowerBound + 12)
  }

  /// A mark to be written.
  init(time: UInt64, sender: UInt32) {
    self.time = time
    self.sender = sender
  }

  /// Writes the mark over the first bytes of a payload.
  func write(to payload: inout [UInt8]) {
    precondition(payload.count >= Self.length, "a payload has room for the mark")
    for index in 0..<4 { payload[index] = UInt8(truncatingIfNeeded: Self.word >> (24 - 8 * UInt32(index))) }
    for index in 0..<8 { payload[4 + index] = UInt8(truncatingIfNeeded: time >> (56 - 8 * UInt64(index))) }
    for index in 0..<4 { payload[12 + index] = UInt8(truncatingIfNeeded: sender >> (24 - 8 * UInt32(index))) }
  }
}
