internal import Networking
internal import Primitives

/// Determines when a reactor calls `CertificateKeeper.check`.
final class CertificateSchedule {
  private let keeper: CertificateKeeper
  private let clock: LoopClock
  private let tasks: LoopTasks
  /// The time of the next check; nil during a check.
  private(set) var nextDeadline: MonotonicTime?

  /// Creates the schedule. The first check is due now.
  init(_ keeper: CertificateKeeper, clock: LoopClock, tasks: LoopTasks) {
    self.keeper = keeper
    self.clock = clock
    self.tasks = tasks
    nextDeadline = clock.now
  }

  /// Starts a check if the next check is due. Only one check runs at a time.
  func checkIfDue() {
    guard let due = nextDeadline, due <= clock.now else { return }
    nextDeadline = nil
    tasks.start(check)
  }

  private func check() async {
    await keeper.check()
    nextDeadline = clock.now + CertificateKeeper.checkInterval
  }
}
