package import Platform
internal import CLinux

/// The program that supervises this process, such as systemd. It receives notifications as `sd_notify(3)` describes.
package struct ServiceManager: Sendable {
  /// A state of a service.
  package enum State: String, Sendable {
    /// The service accepts connections.
    case ready = "READY=1"
    /// The service is about to end.
    case stopping = "STOPPING=1"
    /// The service still works. The service must repeat the notification within the time that the service manager sets.
    case alive = "WATCHDOG=1"
  }

  private let socket: String
  /// The time between two watchdog notifications: half of the time that the manager allows; `nil` if the manager requests none.
  package let watchdogInterval: Duration?

  /// Reads the environment variables that a service manager sets; `nil` without a manager.
  ///
  /// - Parameters:
  ///   - environment: the environment of the process.
  ///   - process: the number of the process. A manager may name the process that sends watchdog notifications.
  package init?(environment: [String: String], process: Int32) {
    guard let socket = environment["NOTIFY_SOCKET"], socket.hasPrefix("/") || socket.hasPrefix("@") else {
      return nil
    }
    self.socket = socket
    let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
    let allowed = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogInterval = isOurs && allowed > 1 ? .microseconds(allowed / 2) : nil
  }

  /// Notifies the service manager (such as systemd) of a state, without waiting.
  package func notify(_ state: State) throws(SystemError) {
    let bytes = Array(state.rawValue.utf8)
    let result = unsafe bytes.withUnsafeBytes { bytes in
      unsafe clinux_unix_send(socket, bytes.baseAddress, bytes.count)
    }
    _ = try SystemError.check("sendto", result)
  }
}
