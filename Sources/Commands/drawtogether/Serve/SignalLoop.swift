internal import Platform

/// Hands the process' signals on, from a thread of its own.
final class SignalLoop: Sendable {
  private let receiver: SignalReceiver

  /// Takes the signals over; to be made before any other thread.
  init() throws(SystemError) {
    receiver = try SignalReceiver()
  }

  /// Calls `handle` for each signal until the process ends.
  func start(_ handle: @escaping @Sendable (SignalReceiver.Signal) -> Void) throws(SystemError) {
    _ = try SystemThread(name: "signals") { [self] in
      do throws(SystemError) {
        while true { handle(try receiver.next()) }
      } catch {
        // Without signals nobody could stop the process but by force: better at once.
        fatalError("signals cannot be read: \(error)")
      }
    }
  }
}
