internal import WebSocket
internal import Wire

/// Creates the messages of members: for a gateway one frame with one entry, for a peer server one frame with the payload only.
struct MessageMaker {
  private let isPeer: Bool
  private let flags: EntryFlags
  private let keys: UInt64
  private let type = Array("BenchMessage".utf8)
  private var payload: [UInt8]
  private var entry: [UInt8] = []
  private var random = Xorshift(seed: 0x9E37_79B9_7F4A_7C15)

  /// Creates a maker.
  ///
  /// - Parameters:
  ///   - payloadLength: the length in bytes, including the `TimeMark`.
  ///   - retention: the retention of the entries.
  ///   - keys: the number of keys that a sender uses in rotation.
  ///   - isPeer: true if the server is not a gateway. A message is then only the payload.
  init(
    payloadLength: Int, retention: Retention = .none, keys: Int = RetainedSequences.keys, isPeer: Bool = false
  ) {
    self.isPeer = isPeer
    self.keys = UInt64(keys)
    flags = EntryFlags(.reliable, retention: retention)
    payload = (0..<payloadLength).map { UInt8(truncatingIfNeeded: 97 + $0 % 26) }
  }

  /// Appends the next message of a sender. The message's `TimeMark` contains `time`, from which the latency is measured.
  mutating func append(to bytes: inout [UInt8], sender: Link, time: UInt64) {
    sender.clientSequence &+= 1
    TimeMark(time: time, sender: UInt32(sender.index)).write(to: &payload)
    let maskingKey = random.maskingKey()
    guard !isPeer else {
      FrameWriter.append(.binary, payload: payload.span, maskingKey: maskingKey, to: &bytes)
      return
    }
    // Keys contain the sender's number, so that senders do not share keys.
    let key = EntryKey(
      high: RetainedSequences.prefix &+ UInt64(sender.index), low: UInt64(sender.clientSequence) % keys)
    var entry: [UInt8] = []
    swap(&entry, &self.entry)
    entry.removeAll(keepingCapacity: true)
    ClientEntry.append(
      to: &entry, flags: flags, clientSequence: sender.clientSequence, key: key, type: type.span,
      payload: payload.span)
    FrameWriter.append(.binary, payload: entry.span, maskingKey: maskingKey, to: &bytes)
    swap(&entry, &self.entry)
  }
}

/// A fast, reproducible random number generator (Marsaglia's xorshift).
struct Xorshift: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator.
  ///
  /// - Parameter seed: any number except 0.
  init(seed: UInt64) {
    precondition(seed != 0, "the seed must not be 0: it would produce only zeros")
    state = seed
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// Returns a key for one frame. A load test needs no secure keys, and OpenSSL's generator takes as long as a system call.
  mutating func maskingKey() -> MaskingKey {
    let word = next()
    return MaskingKey(
      UInt8(truncatingIfNeeded: word >> 32), UInt8(truncatingIfNeeded: word >> 40),
      UInt8(truncatingIfNeeded: word >> 48), UInt8(truncatingIfNeeded: word >> 56))
  }
}
