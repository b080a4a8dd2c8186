/// The state of one session in a closed loop.
struct SessionLoad {
  /// The sockets of the senders, in order.
  let senders: [Int]
  /// The number of deliveries per message.
  let deliveriesEach: Int
  var nextSender = 0
  var sent = 0
  var delivered = 0
  /// True if messages of this session were delivered since the last check.
  var isDue = false
  /// The time of the last delivery, or of the start.
  var lastProgress: UInt64 = 0

  /// Records deliveries.
  mutating func record(_ count: Int, at now: UInt64) {
    delivered += count
    isDue = true
    lastProgress = now
  }

  /// Returns the number of messages that may be sent now.
  func room(_ pacing: BenchOptions.Pacing) -> Int {
    switch pacing {
    case .window(let window):
      max(0, delivered / deliveriesEach + window * senders.count - sent)
    case .burst(let burst):
      delivered >= sent * deliveriesEach ? burst : 0
    case .rate:
      0
    }
  }

  /// Returns the socket of the next sender.
  mutating func takeSender() -> Int {
    let sender = senders[nextSender]
    nextSender = (nextSender + 1) % senders.count
    return sender
  }
}
