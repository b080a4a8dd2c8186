/// What is under way in one session in closed loop.
struct SessionLoad {
  /// The sockets of those who send, in turn.
  let senders: [Int]
  /// How often each message counts as delivered.
  let deliveriesEach: Int
  var nextSender = 0
  var sent = 0
  var delivered = 0
  /// Whether something came since it was last looked at.
  var isDue = false
  /// When something came last, or the load was begun.
  var lastProgress: UInt64 = 0

  /// Takes note of so many deliveries.
  mutating func take(_ count: Int, at now: UInt64) {
    delivered += count
    isDue = true
    lastProgress = now
  }

  /// How many messages may be sent now.
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

  /// The socket of the next sender in turn.
  mutating func takeSender() -> Int {
    let sender = senders[nextSender]
    nextSender = (nextSender + 1) % senders.count
    return sender
  }
}
