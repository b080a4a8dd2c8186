internal import WebSocket
internal import Wire

/// Makes the messages that members send: each one entry in one frame, or for a peer one frame that is all payload.
struct MessageMaker {
  private let isPeer: Bool
  private let flags: EntryFlags
  private let keys: UInt64
  private let type = Array("BenchMessage".utf8)
  private var payload: [UInt8]
  private var entry: [UInt8] = []
  private var random = Xorshift(seed: 0x9E37_79B9_7F4A_7C15)

  /// - Parameters:
  ///   - payloadLength: in bytes, with room for the mark.
  ///   - retention: what happens under a key.
  ///   - keys: how many keys a sender uses in turn.
  ///   - isPeer: payload alone, for a server that knows no entries.
  init(payloadLength: Int, retention: Retention = .none, keys: Int = HeldState.keys, isPeer: Bool = false) {
    self.isPeer = isPeer
    self.keys = UInt64(keys)
    flags = EntryFlags(.reliable, retention: retention)
    payload = (0..<payloadLength).map { UInt8(truncatingIfNeeded: 97 + $0 % 26) }
  }

  /// Appends a sender's next message, with the time as it is now.
  mutating func append(to bytes: inout [UInt8], sender: Link) {
    sender.clientSequence &+= 1
    TimeMark(time: Clock.now(), sender: UInt32(sender.index)).write(to: &payload)
    let maskingKey = random.maskingKey()
    guard !isPeer else {
      FrameWriter.append(.binary, payload: payload.span, maskingKey: maskingKey, to: &bytes)
      return
    }
    // The sender's number keeps the keys of several apart.
    let key = EntryKey(
      high: HeldState.prefix &+ UInt64(sender.index), low: UInt64(sender.clientSequence) % keys)
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

/// Numbers that look like chance (Marsaglia's xorshift), quickly and the same in every run.
struct Xorshift: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter seed: any number but 0.
  init(seed: UInt64) {
    precondition(seed != 0, "0 would stay 0")
    state = seed
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// A key for one frame; nobody attacks a load test, and OpenSSL's generator takes a system call's time.
  mutating func maskingKey() -> MaskingKey {
    let word = next()
    return MaskingKey(
      UInt8(truncatingIfNeeded: word >> 32), UInt8(truncatingIfNeeded: word >> 40),
      UInt8(truncatingIfNeeded: word >> 48), UInt8(truncatingIfNeeded: word >> 56))
  }
}
