internal import Wire

/// Counts the bytes of incomplete input and unsent output that connections hold, toward the limit `incompleteBytes`.
extension Reactor {
  /// Updates the bytes counted for a connection.
  ///
  /// - Returns: false when the connection holds more than before and more than `littleBytes`, and all connections together exceed
  ///   the limit. A connection that holds little, like any that is read in the next turn, is served whatever the others hold.
  @discardableResult
  func countHeld(by connection: Connection) -> Bool {
    guard connections.isOpen(connection) else { return true }
    return count(connection.heldBytes, heldBy: connection)
      || connection.countedBytes <= Connection.littleBytes
  }

  /// Removes the bytes of a connection that left the table.
  func countOut(_ connection: Connection) {
    _ = count(0, heldBy: connection)
  }

  private func count(_ held: Int, heldBy connection: Connection) -> Bool {
    let change = held - connection.countedBytes
    guard change != 0 else { return true }
    connection.countedBytes = held
    counters.values.incompleteBytes += Int64(change)
    return shared.holdIncomplete(change)
  }

  /// Refuses a request because connections hold too many bytes.
  func refuseForRoom(_ connection: Connection, _ http: HTTPConversation) {
    var refusal = Refusal(
      .tooMany,
      "This gateway holds as much of half-received requests and messages as it takes. Try again in a moment.",
      limit: shared.limits.incompleteBytes, actual: shared.incompleteTotal)
    refusal.retryAfterMs = 5_000
    refusal.status = 503
    http.closesAfterOutput = true
    send(.problem(refusal), on: connection, http, for: http.exchange?.head)
  }
}
