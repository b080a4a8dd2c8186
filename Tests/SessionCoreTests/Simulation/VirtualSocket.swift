import SessionCore

/// A socket between a session's subscriber and a client, with a small or large kernel buffer.
final class VirtualSocket {
  let subscriber: Subscriber
  /// The number of bytes that the kernel accepts before the gateway has to wait.
  let capacity: Int
  /// The bytes in the kernel buffer, which the client has not read yet.
  private(set) var kernel: [UInt8] = []
  /// Messages on their way to the gateway.
  var uplink: [Uplink] = []
  /// True when the connection is broken on the client's side. The gateway may not have noticed this yet.
  var isCut = false
  /// True when the session has detached the subscriber, and only the messages in its outbox are still to be sent.
  var isClosing = false
  /// True if the client left because its page was closed.
  var pageGone = false

  /// An event from a client.
  enum Uplink {
    case entries([SentEntry])
    case profile(name: String)
    case activity(title: String)
    case join
    case leave
  }

  init(connection: UInt64, capacity: Int) {
    subscriber = Subscriber(connection: connection, acceptsCompression: connection.isMultiple(of: 2))
    self.capacity = capacity
  }

  var room: Int { isCut ? capacity : capacity - kernel.count }

  /// Offers bytes to the kernel, which accepts as many as it has room for.
  func send(_ bytes: ArraySlice<UInt8>) -> Int {
    // A broken connection loses bytes until the gateway detects the break.
    if isCut { return min(bytes.count, capacity) }
    let count = min(bytes.count, room)
    kernel.append(contentsOf: bytes.prefix(count))
    return count
  }

  /// Reads at most `count` bytes, as the client does.
  func read(_ count: Int) -> [UInt8] {
    let taken = Array(kernel.prefix(count))
    kernel.removeFirst(taken.count)
    return taken
  }
}
