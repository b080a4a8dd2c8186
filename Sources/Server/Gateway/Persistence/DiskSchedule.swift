internal import Networking
internal import Primitives

/// Determines when a reactor measures the free space of the disk. At the same times, the schedule reads the clocks for
/// `RemovalGate`.
final class DiskSchedule {
  private let gauge: DiskGauge
  private let removal: RemovalGate
  private let clock: LoopClock
  private let tasks: LoopTasks
  private let log: Log
  /// The time of the next measurement; nil during a measurement.
  private(set) var nextDeadline: MonotonicTime?
  /// Called after a measurement.
  var didMeasure: () -> Void = {}

  /// Creates the schedule. The first measurement is due now.
  init(_ gauge: DiskGauge, removal: RemovalGate, clock: LoopClock, tasks: LoopTasks, log: Log) {
    self.gauge = gauge
    self.removal = removal
    self.clock = clock
    self.tasks = tasks
    self.log = log
    nextDeadline = clock.now
  }

  /// Starts a measurement when its time has come. Only one measurement runs at a time.
  func measureIfDue() {
    guard let due = nextDeadline, due <= clock.now else { return }
    nextDeadline = nil
    readClocks()
    tasks.start(measure)
  }

  private func measure() async {
    await gauge.measure()
    nextDeadline = clock.now + DiskGauge.interval
    didMeasure()
  }

  /// Reads the clocks, and logs when the removal of sessions becomes allowed or forbidden.
  private func readClocks() {
    switch removal.readClocks(now: clock.now) {
    case .opened:
      log(.info, "removal of sessions begins", ["synchronised": .boolean(removal.clock.isSynchronised())])
    case .closed:
      log(
        .warning, "removal of sessions waits",
        ["reason": "the clock was moved forward or back by a minute or more"])
    case .same:
      break
    }
  }
}
