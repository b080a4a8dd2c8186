internal import Networking
internal import Primitives

/// The periodic work that only the first reactor of a gateway does: removing expired sessions from the store, measuring the free
/// disk space, and checking the certificate files.
final class Housekeeping {
  /// The schedule of the sweeps that remove expired sessions from the store; nil when sessions are in memory only.
  let sweepSchedule: SweepSchedule?
  private let diskSchedule: DiskSchedule
  /// The schedule of the checks of the certificate files; nil without TLS.
  private let certificateSchedule: CertificateSchedule?
  private let dataRefusalLog: DataRefusalLog
  private let shared: SharedState
  private let clock: LoopClock

  init(_ shared: SharedState, clock: LoopClock, tasks: LoopTasks) {
    self.shared = shared
    self.clock = clock
    sweepSchedule = shared.sweeper.map { sweeper in
      // This closure may run on any thread, because it uses no state of this reactor. The functions passed to `LoopTasks` run
      // only on the reactor's own thread.
      SweepSchedule(sweeper, clock: clock, tasks: tasks, log: shared.log) { id, hadEnded in
        await shared.owner(of: id).removeStored(id, hadEnded: hadEnded)
      }
    }
    diskSchedule = DiskSchedule(
      shared.gauge, removal: shared.removal, clock: clock, tasks: tasks, log: shared.log)
    certificateSchedule = shared.keeper.map { CertificateSchedule($0, clock: clock, tasks: tasks) }
    dataRefusalLog = DataRefusalLog(shared.log)
    diskSchedule.didMeasure = { [unowned self] in logDataRefusal() }
  }

  /// The earliest time at which one of the three kinds of work (sweep, certificate check, disk measurement) is due;
  /// `distantFuture` while all three are in progress.
  var nextDeadline: MonotonicTime {
    let certificates = certificateSchedule?.nextDeadline ?? .distantFuture
    return min(
      sweepSchedule?.nextDeadline ?? .distantFuture, diskSchedule.nextDeadline ?? .distantFuture, certificates
    )
  }

  /// Starts every kind of periodic work that is due.
  func performDueWork() {
    sweepSchedule?.sweepIfDue()
    certificateSchedule?.checkIfDue()
    diskSchedule.measureIfDue()
  }

  /// Logs when the gateway begins to refuse new data, and when it accepts new data again.
  func logDataRefusal() {
    dataRefusalLog.update(shared.dataRefusal(now: clock.now))
  }
}
