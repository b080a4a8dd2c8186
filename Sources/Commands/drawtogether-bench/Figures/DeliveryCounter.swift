/// Counts received messages and measures their latency by the `TimeMark` in each payload. The counter runs for every delivered
/// entry: if it took more than a few hundred nanoseconds, the generator would be the bottleneck.
struct DeliveryCounter: Sendable {
  /// The receiving member.
  struct Reader {
    /// The number of the socket.
    let index: UInt32
    /// False during the catch-up, whose messages are not counted.
    let isLive: Bool
    /// True to count a message of the member itself as delivered when the message returns to the member.
    let countsEcho: Bool
  }

  /// The latencies of delivered messages in nanoseconds: from the time in the `TimeMark` until the message is read.
  private(set) var latency = Histogram()
  private(set) var delivered = 0
  /// Messages that returned to their senders.
  private(set) var echoes = 0
  /// Messages without a `TimeMark`: the gateway's own entries.
  private(set) var others = 0

  /// Counts the entries of a gateway's message. Returns false if the message is not a sequence of entries.
  mutating func count(entries message: Span<UInt8>, reader: Reader, at now: UInt64) -> Bool {
    var offset = 0
    while message.count - offset >= 22 {
      let length: UInt32 = message.load(at: offset)
      let end = offset + 4 + Int(length)
      let key = message[offset + 4] & 0b110 == 0 ? 0 : 16
      let payload = offset + 22 + key + Int(message[offset + 5])
      guard payload <= end, end <= message.count else { return false }
      count(TimeMark(message, payload: payload..<end), reader, at: now)
      offset = end
    }
    return offset == message.count
  }

  /// Counts a message from a peer server, which consists of the payload only.
  mutating func count(message: Span<UInt8>, reader: Reader, at now: UInt64) {
    count(TimeMark(message, payload: 0..<message.count), reader, at: now)
  }

  @inline(__always)
  private mutating func count(_ mark: TimeMark?, _ reader: Reader, at now: UInt64) {
    guard let mark else {
      others += 1
      return
    }
    guard reader.isLive else { return }
    if mark.sender == reader.index {
      echoes += 1
      guard reader.countsEcho else { return }
    }
    delivered += 1
    latency.record(now > mark.time ? now - mark.time : 0)
  }
}

extension Span where Element == UInt8 {
  /// Returns the big-endian integer at `offset`, read in one load. Traps outside the span.
  @inline(__always)
  func load<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Integer {
    Integer(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Integer.self))
  }
}
