internal import Networking
internal import Platform
internal import Primitives

extension Reactor {
  /// Has the disk asked for its room when it is time to, and says what that changes.
  func watchDisk() {
    guard number == 0, diskLookAt <= now, draining == nil else { return }
    diskLookAt = .distantFuture
    watchClock()
    Task {
      await shared.gauge.measure()
      diskLookAt = .now() + DiskGauge.interval
      dataRefusalLog.update(shared.dataRefusal(now: now))
    }
  }

  /// Reads the clocks, and logs when the removal of sessions becomes allowed or forbidden.
  func watchClock() {
    switch shared.removal.readClocks(now: now) {
    case .opened:
      shared.log(
        .info, "removal of sessions begins", ["synchronised": .boolean(shared.removal.clock.isSynchronised())]
      )
    case .closed:
      shared.log(.warning, "removal of sessions waits", ["reason": "the clock was set"])
    case .same:
      break
    }
  }
}
