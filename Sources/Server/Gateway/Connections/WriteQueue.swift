internal import Platform
internal import Primitives

/// The connections of a reactor that have more output to write. Either the socket of the connection has just become writable, or
/// the connection has reached its limit of output for one turn.
final class WriteQueue {
  /// The maximum time in a turn for writing live entries and answers.
  private static let liveTime = Duration.milliseconds(4)
  /// The maximum time in a turn for writing bulk data, mostly catch-ups.
  private static let bulkTime = Duration.milliseconds(4)

  private let live = FairQueue<Connection.Key>()
  private let bulk = FairQueue<Connection.Key>()
  private let budget: TurnBudget
  /// The time that the present turn has spent on writing bulk data. This time does not count as load of the loop: when the load
  /// is high, the loop delays entries, and a long catch-up must not delay the entries of other sessions.
  private var bulkTimeOfTurn = Duration.zero

  /// Creates an empty queue.
  ///
  /// - Parameter budget: limits the bulk bytes of a turn.
  init(_ budget: TurnBudget) {
    self.budget = budget
  }

  var isEmpty: Bool { live.isEmpty && bulk.isEmpty }

  /// Adds a connection, unless the queue already contains the connection.
  ///
  /// - Parameters:
  ///   - connection: an open connection.
  ///   - isBulk: true when the connection has to write large pieces.
  func append(_ connection: Connection, isBulk: Bool = false) {
    guard !connection.isQueuedForWriting else { return }
    connection.isQueuedForWriting = true
    if isBulk { bulk.append(connection.key) } else { live.append(connection.key) }
  }

  /// Writes to the connections in the queue: first live entries and answers, then bulk data.
  func serve(_ write: (Connection.Key) -> Void) {
    live.serve(for: Self.liveTime) { key, _ in write(key) }
    guard !bulk.isEmpty else { return }
    let began = MonotonicTime.now()
    bulk.serve(
      for: Self.bulkTime,
      mayServe: { _, hasTime in budget.allowsBulkBytes && (hasTime || budget.owesBulkBytes) },
      { key, _ in write(key) })
    bulkTimeOfTurn = .now() - began
  }

  /// Returns the time that the turn spent on writing bulk data, and resets it to zero.
  func takeBulkTime() -> Duration {
    defer { bulkTimeOfTurn = .zero }
    return bulkTimeOfTurn
  }
}
