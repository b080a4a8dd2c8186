internal import Wire

/// What connections hold of what their peers have not sent to the end, or have not taken, within one bound for all of them.
extension Reactor {
  /// Counts anew what a connection holds.
  ///
  /// - Returns: false when it holds more than before and more than a little, and all together more than they may. Who holds little, as
  ///   everybody does who is read in the next turn, is served whatever others do.
  @discardableResult
  func countHeld(by connection: Connection) -> Bool {
    guard connections[Int(connection.key.slot)] === connection else { return true }
    return count(connection.heldBytes, heldBy: connection)
      || connection.countedBytes <= Connection.littleBytes
  }

  /// Counts a connection out that is not in the table any more.
  func countOut(_ connection: Connection) {
    _ = count(0, heldBy: connection)
  }

  private func count(_ held: Int, heldBy connection: Connection) -> Bool {
    let change = held - connection.countedBytes
    guard change != 0 else { return true }
    connection.countedBytes = held
    counters.incompleteBytes += Int64(change)
    return shared.holdIncomplete(change)
  }

  /// Refuses a request of which no more can be held.
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
