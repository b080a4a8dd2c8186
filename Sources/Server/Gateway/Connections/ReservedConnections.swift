/// The connections that a reactor accepts beyond the limit `connections`, so that health checks and metrics still work then.
///
/// A reserved connection gets one answer and is then closed. When all slots are used, a new connection evicts another one, so
/// that silent peers cannot occupy the slots.
struct ReservedConnections {
  /// The progress of a reserved connection. The connection with the least progress is evicted first.
  enum Stage: Int, Comparable {
    /// No bytes were received, or the kernel has the whole answer.
    case silent
    /// A TLS handshake or the head of a request has begun.
    case asking
    /// The answer is being produced or sent.
    case answered

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  /// The number of slots of the whole gateway. With more than half as many reactors, there are more slots, because each
  /// has a minimum.
  static let slots = 16
  /// The minimum number of slots of a reactor.
  private static let leastSlots = 2

  private let capacity: Int
  /// The reserved connections, the oldest first.
  private var keys: [Connection.Key] = []

  /// Creates the share of one of `reactors` reactors. The kernel chooses the reactor of a connection.
  init(reactors: Int) {
    capacity = max(Self.leastSlots, (Self.slots + reactors - 1) / reactors)
  }

  /// Returns the connection that must be closed before another one is inserted: the oldest one with the least progress.
  ///
  /// - Parameter stage: returns the stage of a connection.
  /// - Returns: nil while a slot is free.
  func victim(stage: (Connection.Key) -> Stage) -> Connection.Key? {
    guard keys.count >= capacity else { return nil }
    // The first one in the list is the oldest in its stage.
    return keys.min { stage($0) < stage($1) }
  }

  mutating func insert(_ key: Connection.Key) {
    keys.append(key)
  }

  mutating func remove(_ key: Connection.Key) {
    keys.removeAll { $0 == key }
  }
}
