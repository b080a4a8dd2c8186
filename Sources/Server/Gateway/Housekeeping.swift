internal import Networking
internal import Primitives

/// The periodic work that a gateway needs once, in its first reactor: removing stored sessions, measuring the disk, and checking the
/// certificate files.
final class Housekeeping {
  /// The component that removes stored sessions; nil when sessions are in memory only.
  let sweepSchedule: SweepSchedule?
  private let diskSchedule: DiskSchedule
  /// The component that checks the certificate; nil without TLS.
  private let certificateSchedule: CertificateSchedule?
  private let dataRefusalLog: DataRefusalLog
  private let shared: SharedState
  private let clock: LoopClock

  init(_ shared: SharedState, clock: LoopClock, tasks: LoopTasks) {
    self.shared = shared
    self.clock = clock
    sweepSchedule = shared.sweeper.map { sweeper in
      // Unlike the functions of `LoopTasks`, this closure may run on any thread, because it uses no state of the reactor.
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

  /// The time of the next work; distant future while all work is in progress.
  var nextDeadline: MonotonicTime {
    let certificates = certificateSchedule?.nextDeadline ?? .distantFuture
    return min(
      sweepSchedule?.nextDeadline ?? .distantFuture, diskSchedule.nextDeadline ?? .distantFuture, certificates
    )
  }

  /// Starts the work whose time has come.
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
