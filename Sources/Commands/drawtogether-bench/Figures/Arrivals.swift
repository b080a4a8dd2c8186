/// Counts the messages that come, by their marks. It runs for every delivered entry: more than some hundred
/// nanoseconds each, and the generator would be the bottleneck.
struct Arrivals: Sendable {
  /// Who reads.
  struct Reader {
    /// The number of its socket.
    let index: UInt32
    /// Before, what comes is a catch-up, and not counted.
    let isLive: Bool
    /// Whether its own messages coming back count as delivered.
    let countsEcho: Bool
  }

  /// From a message's send to the read that brought it, in nanoseconds; the delivered ones alone.
  private(set) var latency = Histogram()
  private(set) var delivered = 0
  /// Messages that came back to their senders.
  private(set) var echoes = 0
  /// What has no mark: the gateway's own entries.
  private(set) var others = 0

  /// Takes a gateway's message: entries, one behind the other. False when it cannot be cut into them.
  mutating func take(entries message: Span<UInt8>, reader: Reader, at now: UInt64) -> Bool {
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

  /// Takes a peer's message, which is all payload.
  mutating func take(message: Span<UInt8>, reader: Reader, at now: UInt64) {
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
  /// The big-endian integer at `offset`, in one load. Traps outside the span.
  @inline(__always)
  func load<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Integer {
    Integer(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Integer.self))
  }
}
