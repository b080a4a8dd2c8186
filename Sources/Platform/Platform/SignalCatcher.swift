internal import CLinux
internal import Glibc

/// Takes signals as values in a process whose main thread belongs to Dispatch.
///
/// An `async` main leaves that thread to `dispatch_main`, which on Linux parks it with no signal blocked: what `SignalReceiver`
/// holds back in all threads would end the process there. Handlers are called on whatever thread. Once in a process; for the
/// command only.
package struct SignalCatcher: ~Copyable, Sendable {
  /// What happened.
  package enum Signal: Equatable, Sendable {
    /// `SIGTERM`, `SIGINT`, or `SIGHUP`: the terminal is gone.
    case terminate
    /// `SIGWINCH`: the terminal's window has another size.
    case windowChange
  }

  private let descriptor: OwnedDescriptor

  /// Catches those signals from here on, and ignores `SIGPIPE` and `SIGXFSZ`: they are errors of `write`.
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
