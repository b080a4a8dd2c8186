/// When each sender of an open loop is due: all have one period, and each a phase by chance.
struct Schedule {
  private struct Slot {
    let phase: UInt64
    let link: Int
  }

  /// A message that is this late is left out: sent now, it would be a burst that nobody asked for.
  static let patience: UInt64 = 250_000_000

  private let slots: [Slot]
  private let period: UInt64
  private var next = 0
  private var roundStart: UInt64

  /// - Parameters:
  ///   - links: the sockets of the senders.
  ///   - rate: messages a second of each.
  ///   - start: when the first round begins, on the monotonic clock.
  init(links: [Int], rate: Double, start: UInt64) {
    let period = max(1, UInt64(1e9 / rate))
    var random = Xorshift(seed: 88_172_645_463_325_252)
    slots = links.map { Slot(phase: UInt64.random(in: 0..<period, using: &random), link: $0) }
      .sorted { $0.phase < $1.phase }
    self.period = period
    roundStart = start
  }

  /// When the next message is due.
  var due: UInt64 { slots.isEmpty ? .max : roundStart + slots[next].phase }

  /// The socket that is due, and the next one's turn.
  mutating func take() -> Int {
    let link = slots[next].link
    next += 1
    if next == slots.count {
      next = 0
      roundStart += period
    }
    return link
  }
}
