import SessionCore

/// A socket with a kernel buffer of a few bytes or many, between a session's subscriber and a client.
final class VirtualSocket {
  let subscriber: Subscriber
  /// How many bytes the kernel takes before the gateway has to wait.
  let capacity: Int
  /// What the kernel holds for the client.
  private(set) var kernel: [UInt8] = []
  /// Messages on their way to the gateway.
  var uplink: [Uplink] = []
  /// The client's end is gone; the gateway may not know yet.
  var isCut = false
  /// The gateway has let go of it: only its own bytes are still to be sent.
  var isClosing = false
  /// How the client said it goes, if it did.
  var pageGone = false

  /// What a client sends.
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

  /// Offers bytes to the kernel; it takes what it has room for.
  func send(_ bytes: ArraySlice<UInt8>) -> Int {
    // A cut wire swallows bytes until the gateway finds out.
    if isCut { return min(bytes.count, capacity) }
    let count = min(bytes.count, room)
    kernel.append(contentsOf: bytes.prefix(count))
    return count
  }

  /// The client reads up to so many bytes.
  func read(_ count: Int) -> [UInt8] {
    let taken = Array(kernel.prefix(count))
    kernel.removeFirst(taken.count)
    return taken
  }
}
