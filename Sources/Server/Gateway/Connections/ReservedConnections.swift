/// The connections that a reactor accepts beyond the limit `connections`, so that health checks and metrics work at the limit.
///
/// A reserved connection gets one answer and is then closed. When all slots are taken, a newcomer evicts another one, so that
/// silent peers cannot occupy them.
struct ReservedConnections {
  /// The progress of a reserved connection. The connection with the least progress is evicted first.
  enum Stage: Int, Comparable {
    /// Nothing was received, or the answer is already with the kernel.
    case silent
    /// A TLS handshake or the head of a request has begun.
    case asking
    /// The answer is being made or sent.
    case answered

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  /// The number of slots of the whole gateway, if it has at most half as many reactors.
  static let slots = 16
  /// A reactor has at least this many slots.
  private static let leastSlots = 2

  private let capacity: Int
  /// The reserved connections, the oldest first.
  private var keys: [Connection.Key] = []

  /// Creates the share of one reactor out of so many; the kernel chooses the reactor of a connection.
  init(reactors: Int) {
    capacity = max(Self.leastSlots, (Self.slots + reactors - 1) / reactors)
  }

  /// Returns the connection that must be closed before another one is inserted: the oldest of those in the least stage.
  ///
  /// - Parameter stage: returns the stage of a connection.
  /// - Returns: `nil` while a slot is free.
  func victim(stage: (Connection.Key) -> Stage) -> Connection.Key? {
    guard keys.count >= capacity else { return nil }
    // The oldest among those of the same stage.
    return keys.min { stage($0) < stage($1) }
  }

  mutating func insert(_ key: Connection.Key) {
    keys.append(key)
  }

  mutating func remove(_ key: Connection.Key) {
    keys.removeAll { $0 == key }
  }
}
