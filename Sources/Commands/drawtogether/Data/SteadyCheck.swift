internal import Glibc
internal import Wire

/// A check of a session that a gateway may be writing to: what looks wrong is looked at again, and is a fault when it stays.
struct SteadyCheck {
  /// How often a session is looked at that changes all the while.
  private static let attempts = 20
  /// How long a record may be on its way into a file, in microseconds: it is written by one call.
  private static let pause: UInt32 = 50_000

  /// What the last look found; nil when the session was removed meanwhile.
  private(set) var last: SessionCheck?

  /// Looks at a session until it is found whole, or twice the same is wrong with it.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - sessions: where it is.
  ///   - wait: lets somebody who is writing finish.
  /// - Throws: `DataCommandFailure` when something cannot be looked at.
  init(
    _ id: SessionID, in sessions: StoredSessions, waitingBy wait: () -> Void = { usleep(Self.pause) }
  ) throws(DataCommandFailure) {
    for attempt in 1...Self.attempts {
      let check: SessionCheck
      do throws(DataCommandFailure) {
        check = try SessionCheck(id, in: sessions)
      } catch {
        if case .gone = error { return }
        throw error
      }
      let isSettled = check.faults.isEmpty || check.faults == last?.faults
      last = check
      if isSettled || attempt == Self.attempts { return }
      wait()
    }
  }
}
