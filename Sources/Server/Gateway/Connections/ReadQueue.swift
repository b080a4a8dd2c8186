internal import Platform
internal import Primitives

/// The connections of a reactor that have input to read, and their time slices.
///
/// A turn reads WebSockets first, then HTTP connections, then expensive input. A connection that cannot handle all its input
/// within its time slice continues in the next turn, after the connections that wait already.
final class ReadQueue {
  /// The maximum time in a turn for reading WebSockets. `httpTime` is the same limit for HTTP connections.
  private static let webSocketTime = Duration.milliseconds(4)
  private static let httpTime = Duration.milliseconds(2)
  /// The maximum time in a turn for expensive input: compressed messages that inflate to many times their size, long messages of
  /// many small entries, and bodies in tiny chunks. A socket with expensive input handles one step per turn: 64 KiB of an
  /// inflated message, 2,048 entries, or 1,024 pieces of a body. So it delays other sockets by one step at most.
  private static let expensiveTime = Duration.milliseconds(1)

  private let webSockets = FairQueue<Connection.Key>()
  private let http = FairQueue<Connection.Key>()
  private let expensive = FairQueue<Connection.Key>()
  /// The end of the time slice of the connection that is being read.
  private var shareEnd = MonotonicTime.distantPast
  /// The time that the present turn has spent on expensive input. This time does not count as load of the loop: when the load is
  /// high, the loop delays entries, and expensive input must not delay the entries of other sockets.
  private var expensiveTimeOfTurn = Duration.zero

  var isEmpty: Bool { webSockets.isEmpty && http.isEmpty && expensive.isEmpty }

  /// True when the connection that is being read has used up its time slice.
  var isShareOver: Bool { MonotonicTime.now() >= shareEnd }

  /// Adds a connection, unless it is in the queue already. If the turn is still handling events, the connection is read in this
  /// turn, otherwise in the next turn.
  func append(_ connection: Connection) {
    guard !connection.isQueuedForReading else { return }
    connection.isQueuedForReading = true
    if connection.isExpensive {
      expensive.append(connection.key)
    } else if connection.handler?.isWebSocket ?? false {
      webSockets.append(connection.key)
    } else {
      http.append(connection.key)
    }
  }

  /// Reads the connections in the queue.
  func serve(_ read: (Connection.Key) -> Void) {
    webSockets.serve(for: Self.webSocketTime) { begin(until: $1, read, $0) }
    http.serve(for: Self.httpTime) { begin(until: $1, read, $0) }
    guard !expensive.isEmpty else { return }
    let began = MonotonicTime.now()
    expensive.serve(for: Self.expensiveTime) { begin(until: $1, read, $0) }
    expensiveTimeOfTurn = .now() - began
  }

  private func begin(until end: MonotonicTime, _ read: (Connection.Key) -> Void, _ key: Connection.Key) {
    shareEnd = end
    read(key)
  }

  /// Begins the time slice of a connection that is read without the queue.
  func beginShare(at now: MonotonicTime, ofWebSocket isWebSocket: Bool) {
    shareEnd = now + (isWebSocket ? Self.webSocketTime : Self.httpTime)
  }

  /// Returns the time that the turn spent on expensive input, and resets it to zero.
  func takeExpensiveTime() -> Duration {
    defer { expensiveTimeOfTurn = .zero }
    return expensiveTimeOfTurn
  }
}
