internal import Gateway
internal import Glibc
internal import Networking
internal import Platform

/// Notifies a service manager (such as systemd) that the gateway accepts requests, is alive, or stops. Does nothing without a
/// service manager.
///
/// `WATCHDOG=1` is sent only while every event loop runs, so that the service manager restarts a gateway with a hanging loop.
struct Watchdog: Sendable {
  private let manager: ServiceManager?
  private let log: Log

  init(_ manager: ServiceManager?, log: Log) {
    self.manager = manager
    self.log = log
  }

  /// Notifies the service manager that the gateway accepts requests. Then repeats the watchdog notification, if the service
  /// manager requests it.
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

  /// Notifies the service manager that the gateway is about to stop.
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
    // Signals are blocked in this thread, so no signal interrupts the sleep.
    unsafe nanosleep(&time, nil)
  }
}
