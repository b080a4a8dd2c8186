import Testing

@testable import drawtogether_bench

@Suite("DeliveryCounter counts delivered entries and measures their latency")
struct DeliveryCounterTests {
  private static let payload: [UInt8] = [
    0xC1, 0xD7, 0x5A, 0x9E, 0, 0, 0, 0, 0, 0, 0x03, 0xE8, 0, 0, 0, 5,
  ]
  /// An entry without a key: sequence 9, sender 2, client sequence 7, type "ab".
  private static let entry: [UInt8] =
    [0, 0, 0, 36, 0x01, 2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 7, 0x61, 0x62] + payload
  /// A copy of `entry` with a key.
  private static let retained: [UInt8] =
    [0, 0, 0, 52, 0x05, 2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 7]
    + [UInt8](repeating: 0xEE, count: 16) + [0x61, 0x62] + payload
  /// A system entry.
  private static let system: [UInt8] =
    [0, 0, 0, 22, 0x81, 2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0x61, 0x62, 0x7B, 0x7D]

  private func deliveries(
    _ message: [UInt8], of index: UInt32 = 1, isLive: Bool = true, countsEcho: Bool = false
  )
    -> DeliveryCounter
  {
    var deliveries = DeliveryCounter()
    let reader = DeliveryCounter.Reader(index: index, isLive: isLive, countsEcho: countsEcho)
    let isWhole = deliveries.count(entries: message.span, reader: reader, at: 1_100)
    #expect(isWhole)
    return deliveries
  }

  @Test("Each entry of a message counts as delivered if it has a `TimeMark`, with or without a key")
  func joined() {
    let found = deliveries(Self.entry + Self.retained + Self.system + Self.entry)
    #expect(found.delivered == 3)
    #expect(found.others == 1)
    #expect(found.echoes == 0)
    #expect(found.latency.quantile(1) == 100)
  }

  @Test("An entry that returns to its sender counts as delivered only with `countsEcho`")
  func echoes() {
    #expect(deliveries(Self.entry, of: 5).delivered == 0)
    #expect(deliveries(Self.entry, of: 5).echoes == 1)
    #expect(deliveries(Self.entry, of: 5, countsEcho: true).delivered == 1)
  }

  @Test("Entries of a catch-up do not count as delivered")
  func catchUp() {
    #expect(deliveries(Self.entry, isLive: false).delivered == 0)
  }

  @Test(
    "With `--peer` (the server is not a gateway), each message counts as delivered, because it has no entry header"
  )
  func peers() {
    var found = DeliveryCounter()
    found.count(
      message: Self.payload.span, reader: DeliveryCounter.Reader(index: 1, isLive: true, countsEcho: false),
      at: 1_001)
    #expect(found.delivered == 1)
    #expect(found.latency.maximum == 1)
  }

  @Test("A message that is not a sequence of entries is rejected", arguments: [1, 21, 22, 30, 39, 41, 45])
  func broken(_ count: Int) {
    var found = DeliveryCounter()
    let message = Array((Self.entry + Self.entry)[..<count])
    let reader = DeliveryCounter.Reader(index: 1, isLive: true, countsEcho: false)
    let isWhole = found.count(entries: message.span, reader: reader, at: 0)
    #expect(!isWhole)
  }
}
