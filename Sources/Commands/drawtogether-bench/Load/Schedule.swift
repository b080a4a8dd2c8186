/// The schedule of an open loop: all senders have the same period and random phases.
struct Schedule {
  private struct Slot {
    let phase: UInt64
    let link: Int
  }

  /// The maximum delay of a message in nanoseconds. A message with a longer delay is skipped, because messages sent late would
  /// form a burst.
  static let maximumDelay: UInt64 = 250_000_000

  private let slots: [Slot]
  private let period: UInt64
  private var next = 0
  private var roundStart: UInt64

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - links: the sockets of the senders.
  ///   - rate: the messages per second of each sender.
  ///   - start: the start of the first period, in nanoseconds of the monotonic clock.
  init(links: [Int], rate: Double, start: UInt64) {
    let period = max(1, UInt64(1e9 / rate))
    var random = Xorshift(seed: 88_172_645_463_325_252)
    slots = links.map { Slot(phase: UInt64.random(in: 0..<period, using: &random), link: $0) }
      .sorted { $0.phase < $1.phase }
    self.period = period
    roundStart = start
  }

  /// The time of the next message.
  var due: UInt64 { slots.isEmpty ? .max : roundStart + slots[next].phase }

  /// Returns the due socket and advances to the next one.
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
