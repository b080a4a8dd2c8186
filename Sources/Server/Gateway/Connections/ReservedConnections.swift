/// The connections that a reactor accepts beyond the limit `connections`, so that health checks and metrics still work when the
/// limit is reached.
///
/// A reserved connection gets one answer and is then closed. When all slots are used, a new connection evicts an earlier one, so
/// that silent peers cannot occupy the slots.
struct ReservedConnections {
  /// The progress of a reserved connection. The connection with the least progress is evicted first.
  enum Stage: Int, Comparable {
    /// The client has sent no bytes, or the kernel has accepted the whole answer.
    case silent
    /// A TLS handshake or the head of a request has begun.
    case asking
    /// The request has arrived, and the answer is being produced or sent.
    case answered

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  /// The number of slots that the reactors divide among themselves. Each reactor gets an equal part, rounded up, but at least
  /// `leastSlots`. So a gateway with many reactors has more slots in total.
  static let slots = 16
  /// The minimum number of slots of a reactor.
  private static let leastSlots = 2

  private let capacity: Int
  /// The reserved connections, the oldest first.
  private var keys: [Connection.Key] = []

  /// Creates an empty list for one reactor. `reactors` is the number of reactors that share the slots. Each reactor has its own
  /// share, because the kernel chooses the reactor that accepts a connection.
  init(reactors: Int) {
    capacity = max(Self.leastSlots, (Self.slots + reactors - 1) / reactors)
  }

  /// Returns the connection that must be closed before another connection is inserted: the oldest of the connections with the
  /// least progress.
  ///
  /// - Parameter stage: returns the stage of a connection.
  /// - Returns: nil while a slot is free.
  func victim(stage: (Connection.Key) -> Stage) -> Connection.Key? {
    guard keys.count >= capacity else { return nil }
    // `min` returns the first of several connections in the same stage, which is the oldest.
    return keys.min { stage($0) < stage($1) }
  }

  mutating func insert(_ key: Connection.Key) {
    keys.append(key)
  }

  mutating func remove(_ key: Connection.Key) {
    keys.removeAll { $0 == key }
  }
}
