internal import Platform
internal import Primitives

/// The connections of a reactor whose input is to be read, and the time that each may take.
///
/// A turn reads WebSockets first, then HTTP connections, then expensive input. A connection with more input than its share continues
/// in the next turn, behind the waiting ones.
final class ReadQueue {
  /// The time in a turn for reading WebSockets, and for reading HTTP connections.
  private static let webSocketTime = Duration.milliseconds(4)
  private static let httpTime = Duration.milliseconds(2)
  /// The time in a turn for expensive input: compressed messages that inflate to much more, long messages of many small entries,
  /// and bodies in tiny chunks. A socket takes one step of it, so that it delays other sockets by one step at most.
  private static let expensiveTime = Duration.milliseconds(1)

  private let webSockets = FairQueue<Connection.Key>()
  private let http = FairQueue<Connection.Key>()
  private let expensive = FairQueue<Connection.Key>()
  /// The end of the time of the connection that is being read.
  private var shareEnd = MonotonicTime.distantPast
  /// The time that the present turn has spent on expensive input. It does not make the entries of other sockets wait for more.
  private var expensiveTimeOfTurn = Duration.zero

  var isEmpty: Bool { webSockets.isEmpty && http.isEmpty && expensive.isEmpty }

  /// True when the connection that is being read has used up its time.
  var isShareOver: Bool { MonotonicTime.now() >= shareEnd }

  /// Adds a connection, unless it waits already. It is read in this turn, if events are still being handled, or else in the next.
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

  /// Serves the waiting connections.
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

  /// Begins the time of a connection that is read without waiting.
  func beginShare(at now: MonotonicTime, ofWebSocket isWebSocket: Bool) {
    shareEnd = now + (isWebSocket ? Self.webSocketTime : Self.httpTime)
  }

  /// Returns the time that the turn has spent on expensive input, and resets it to zero.
  func takeExpensiveTime() -> Duration {
    defer { expensiveTimeOfTurn = .zero }
    return expensiveTimeOfTurn
  }
}
