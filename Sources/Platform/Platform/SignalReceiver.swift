internal import CLinux
internal import Glibc

/// Takes the signals that end or reload the process as values, on a thread that waits for them.
///
/// Made first thing in the process, before any thread: from then on the signals reach nobody else. For the
/// command only.
package struct SignalReceiver: ~Copyable, Sendable {
  /// A signal that a process is told to stop or to read its settings again by.
  package enum Signal: Equatable, Sendable {
    /// `SIGTERM` or `SIGINT`: stop, and soon.
    case terminate
    /// `SIGHUP`: read certificates again.
    case reload
  }

  private let descriptor: OwnedDescriptor

  /// Holds `SIGTERM`, `SIGINT` and `SIGHUP` back for this and all later threads, and ignores `SIGPIPE` and
  /// `SIGXFSZ`, so that a closed standard output, and a file as long as it may be, are errors of `write` and not the end.
  ///
  /// `SIGCHLD` is ignored too: the first process of a container is given those whose parents have ended, and the kernel
  /// then buries them by itself.
  package init() throws(SystemError) {
    for signal in [SIGPIPE, SIGXFSZ, SIGCHLD] {
      _ = try SystemError.check("sigaction", clinux_signal_ignore(signal))
    }
    let signals = [SIGTERM, SIGINT, SIGHUP]
    let result = unsafe signals.withUnsafeBufferPointer { signals in
      unsafe clinux_signals_open(signals.baseAddress, signals.count)
    }
    descriptor = OwnedDescriptor(owning: try SystemError.check("signalfd", result))
  }

  /// Waits for the next signal; blocks the thread.
  package func next() throws(SystemError) -> Signal {
    let number = try SystemError.check("read", clinux_signals_wait(descriptor.rawValue))
    return number == SIGHUP ? .reload : .terminate
  }
}
