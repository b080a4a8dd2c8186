internal import Glibc
internal import Wire

/// A check of a session that a gateway may be writing to: a fault counts only if a repeated check finds it again.
struct SteadyCheck {
  /// The maximum number of checks of a session that keeps changing.
  private static let attempts = 20
  /// The time between two checks, in microseconds. A gateway writes a record with one system call, which ends within this time.
  /// So two checks in a row cannot find the same half-written record.
  private static let pause: UInt32 = 50_000

  /// The last check; nil if the session was removed during the check.
  private(set) var last: SessionCheck?

  /// Repeats the check of a session until it finds no faults, or finds the same faults as the previous check. Gives up after
  /// `attempts` checks.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - sessions: the data folder.
  ///   - wait: the pause between two checks.
  /// - Throws: `CommandError` if the log or a file cannot be read.
  init(
    _ id: SessionID, in sessions: StoredSessions, waitingBy wait: () -> Void = { usleep(Self.pause) }
  ) throws(CommandError) {
    for attempt in 1...Self.attempts {
      let check: SessionCheck
      do throws(CommandError) {
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
