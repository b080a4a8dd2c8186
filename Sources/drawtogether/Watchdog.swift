internal import Gateway
internal import Glibc
internal import Transport

/// Tells a service manager of the gateway: that it serves, that it lives, that it stops. Without a manager it does nothing.
///
/// A sign of life goes out only while every event loop takes turns, so that the manager restarts a gateway with a loop that hangs.
struct Watchdog: Sendable {
  private let manager: ServiceManager?
  private let log: Log

  init(_ manager: ServiceManager?, log: Log) {
    self.manager = manager
    self.log = log
  }

  /// Tells that the gateway serves, and from then on, if the manager wants it, that it lives.
  func start(_ gateway: Gateway) throws(SystemError) {
    notify(.ready)
    guard let interval = manager?.watchdogInterval else { return }
    _ = try SystemThread(name: "watchdog") { [self] in
      var wereHanging: [Int] = []
      while true {
        let hanging = gateway.hangingReactors()
        if hanging.isEmpty { notify(.alive) }
        if hanging != wereHanging, let first = hanging.first {
          log(.error, "event loop hangs", ["reactor": .number(first)])
        }
        wereHanging = hanging
        Self.pause(interval)
      }
    }
  }

  /// Tells that the gateway is about to end.
  func stop() {
    notify(.stopping)
  }

  private func notify(_ state: ServiceManager.State) {
    do throws(SystemError) {
      try manager?.notify(state)
    } catch {
      log(.warning, "service manager not notified", ["state": "\(state.rawValue)", "reason": "\(error)"])
    }
  }

  private static func pause(_ interval: Duration) {
    let parts = interval.components
    var time = timespec(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
    // No signal reaches this thread.
    unsafe nanosleep(&time, nil)
  }
}
