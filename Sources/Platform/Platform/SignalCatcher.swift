internal import CLinux
internal import Glibc

/// A source of signals for a process whose main thread belongs to Dispatch. It catches signals by handlers.
///
/// An `async` main function leaves the main thread to `dispatch_main`, which on Linux parks that thread with no signal blocked.
/// If `SignalReceiver` blocked a signal in all other threads, the kernel would deliver it to the main thread, and the process
/// would end. The system may run the handlers on any thread. Only the command creates this object, once in a process.
package struct SignalCatcher: ~Copyable, Sendable {
  /// A signal that the process received.
  package enum Signal: Equatable, Sendable {
    /// `SIGTERM`, `SIGINT`, or `SIGHUP` (the terminal is gone).
    case terminate
    /// `SIGWINCH`: the terminal's window has another size.
    case windowChange
  }

  private let descriptor: OwnedDescriptor

  /// Installs the handlers. Ignores `SIGPIPE` and `SIGXFSZ`, so that `write` returns an error instead of ending the process.
  package init() throws(SystemError) {
    for signal in [SIGPIPE, SIGXFSZ] {
      _ = try SystemError.check("sigaction", clinux_signal_ignore(signal))
    }
    let signals = [SIGTERM, SIGINT, SIGHUP, SIGWINCH]
    let result = unsafe signals.withUnsafeBufferPointer { signals in
      unsafe clinux_signals_catch(signals.baseAddress, signals.count)
    }
    descriptor = OwnedDescriptor(owning: try SystemError.check("sigaction", result))
  }

  /// Waits for the next signal; blocks the thread.
  package func next() throws(SystemError) -> Signal {
    let number = try SystemError.check("read", clinux_signals_caught(descriptor.rawValue))
    return number == SIGWINCH ? .windowChange : .terminate
  }
}
