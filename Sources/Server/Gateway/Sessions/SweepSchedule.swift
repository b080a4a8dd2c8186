internal import Networking
internal import Primitives
internal import Storage
internal import Wire

/// The schedule by which a reactor looks for expired sessions in the store and removes them.
final class SweepSchedule {
  /// The pause after a failed sweep.
  private static let retryInterval = Duration.seconds(60)

  private let sweeper: SessionSweeper
  private let clock: LoopClock
  private let tasks: LoopTasks
  private let log: Log
  /// Asks the reactor that owns a session to remove the session from the store.
  private let remove: (SessionID, _ hadEnded: Bool) async -> Void
  /// The time of the next sweep; nil during a sweep.
  private(set) var nextDeadline: MonotonicTime?

  /// Creates the schedule. The first sweep is due immediately.
  init(
    _ sweeper: SessionSweeper, clock: LoopClock, tasks: LoopTasks, log: Log,
    remove: @escaping (SessionID, _ hadEnded: Bool) async -> Void
  ) {
    self.sweeper = sweeper
    self.clock = clock
    self.tasks = tasks
    self.log = log
    self.remove = remove
    nextDeadline = clock.now
  }

  /// Starts the next sweep if it is due. Only one sweep runs at a time.
  func sweepIfDue() {
    guard let due = nextDeadline, due <= clock.now else { return }
    nextDeadline = nil
    tasks.start(sweep)
  }

  private func sweep() async {
    do throws(StorageError) {
      let findings = try await sweeper.look()
      for (id, hadEnded) in findings.due { await remove(id, hadEnded) }
      nextDeadline = clock.now + .milliseconds(Int(findings.againInSeconds * 1000))
    } catch {
      log(.error, "sessions not checked", ["reason": "\(error)"])
      nextDeadline = clock.now + Self.retryInterval
    }
  }
}
