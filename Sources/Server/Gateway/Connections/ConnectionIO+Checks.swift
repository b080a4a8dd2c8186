internal import Networking
internal import Primitives

extension ConnectionIO {
  /// Checks the time limits of the connections whose checks are due, up to the maximum number of checks per turn.
  func performDueChecks() {
    for _ in 0..<checks.checksPerTurn {
      guard let connection = checks.next(in: table, now: clock.now) else { return }
      var ticks: CheckSchedule.Ticks = 1
      if let handler = connection.handler {
        ticks = handler.check()
      } else if connection.deadline <= clock.now {
        close(connection)
      }
      if table.isOpen(connection) { checks.schedule(connection, in: ticks, now: clock.now) }
    }
  }

  /// Makes the next check of a connection take place within half a second, because a time limit has begun.
  func hastenCheck(of connection: Connection) {
    checks.hasten(connection, now: clock.now)
  }
}
