internal import Platform

/// Receives the signals of the process on a separate thread.
final class SignalLoop: Sendable {
  private let receiver: SignalReceiver

  /// Blocks the signals. Must be called before any other thread starts.
  init() throws(SystemError) {
    receiver = try SignalReceiver()
  }

  /// Calls `handle` for each signal until the process ends.
  func start(_ handle: @escaping @Sendable (SignalReceiver.Signal) -> Void) throws(SystemError) {
    _ = try SystemThread(name: "signals") { [self] in
      do throws(SystemError) {
        while true { handle(try receiver.next()) }
      } catch {
        // If signals cannot be read, only SIGKILL could end the process. So the process ends itself immediately.
        fatalError("signals cannot be read: \(error)")
      }
    }
  }
}
