import Testing
import WebSocket
import TestSupport

@Suite("The events of a stream do not depend on how its bytes are divided")
struct StreamPropertyTests {
  @Test(
    "random messages, fragments and control frames give the same events for any division of the bytes",
    arguments: UInt64(1)...60)
  func survivesCuts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let role: Role = Bool.random(using: &random) ? .server : .client
    let deflate =
      Bool.random(using: &random) ? DeflateParameters.negotiate(offers: ["permessage-deflate"]) : nil
    var stream = RandomStream(random: random, sender: role == .server ? .client : .server, deflate: deflate)
    for _ in 0..<20 {
      stream.appendMessage()
    }
    var feed = Feed(
      MessageReader(role: role, limits: .tests, deflate: deflate), inflater: deflate == nil ? nil : Inflater()
    )
    var rest = stream.bytes[...]
    while !rest.isEmpty {
      let largest = [1, 3, 20, 2_000, 100_000].randomElement(using: &random) ?? 1
      let part = rest.prefix(Int.random(in: 1...largest, using: &random))
      rest = rest.dropFirst(part.count)
      feed.feed(part)
    }
    #expect(feed.outcome == Outcome(events: stream.events, fedBytes: stream.bytes.count))
    #expect(!feed.reader.isInsideMessage)
    #expect(feed.reader.bufferedBytes == 0)
  }

  @Test("random bytes may cause an error, but never a trap", arguments: UInt64(1)...200)
  func survivesNoise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let deflate = DeflateParameters.negotiate(offers: ["permessage-deflate"])
    var stream = RandomStream(random: random, sender: .client, deflate: deflate)
    for _ in 0..<3 {
      stream.appendMessage()
    }
    var bytes = stream.bytes
    for _ in 0..<4 {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    let limits = MessageLimits(messageBytes: 10_000)
    let whole = readWhole(bytes, limits: limits, deflate: deflate)
    let single = readByteByByte(bytes, limits: limits, deflate: deflate)
    #expect(whole.events == single.events)
    #expect(whole.error == single.error)
  }
}

/// A generator of valid streams, independent of the code under test, with their expected events.
private struct RandomStream {
  private(set) var bytes: [UInt8] = []
  private(set) var events: [FeedEvent] = []
  private var random: SeededGenerator
  private let sender: Role
  private let deflate: DeflateParameters?
  private let deflater = Deflater(level: 1)

  init(random: SeededGenerator, sender: Role, deflate: DeflateParameters?) {
    self.random = random
    self.sender = sender
    self.deflate = deflate
  }

  mutating func appendMessage() {
    let kind: MessageKind = Bool.random(using: &random) ? .text : .binary
    let count = Int.random(in: 0...([0, 10, 200, 3_000].randomElement(using: &random) ?? 0), using: &random)
    let message = kind == .text ? random.text(count: count) : random.bytes(count: count)
    var payload = message
    let isCompressed = deflate != nil && Bool.random(using: &random)
    if isCompressed {
      payload = []
      deflater.compress(message.span, into: &payload, windowBits: Int.random(in: 9...15, using: &random))
    }
    let cuts = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      Int.random(in: 0...payload.count, using: &random)
    }
    let ends = cuts.sorted() + [payload.count]
    var start = 0
    for (index, end) in ends.enumerated() {
      let isLast = index == ends.count - 1
      append(
        index == 0 ? kind.opcode : .continuation, Array(payload[start..<end]), isFinal: isLast,
        isCompressed: isCompressed && index == 0)
      start = end
      if !isLast, Bool.random(using: &random) { appendControlFrame() }
    }
    events.append(.message(kind, message))
    if Bool.random(using: &random) { appendControlFrame() }
  }

  private mutating func appendControlFrame() {
    let payload = random.bytes(count: Int.random(in: 0...125, using: &random))
    if Bool.random(using: &random) {
      append(.ping, payload, isFinal: true, isCompressed: false)
      events.append(.ping(payload))
    } else {
      append(.pong, payload, isFinal: true, isCompressed: false)
      events.append(.pong(payload))
    }
  }

  private mutating func append(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool, isCompressed: Bool) {
    let key = random.bytes(count: 4)
    FrameWriter.append(
      opcode, payload: payload.span, isFinal: isFinal, isCompressed: isCompressed,
      maskingKey: sender == .client ? MaskingKey(key[0], key[1], key[2], key[3]) : nil, to: &bytes)
  }
}
