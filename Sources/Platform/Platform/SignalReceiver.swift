internal import CLinux
internal import Glibc

/// A source of the signals that stop or reload the process. It receives them on the thread that calls `next`, through
/// a signalfd.
///
/// Create this object before any other thread of the process exists, so that the signals are blocked in all threads. Only the
/// command may create it.
package struct SignalReceiver: ~Copyable, Sendable {
  /// The request that a signal stands for: to stop, or to reload the certificates.
  package enum Signal: Equatable, Sendable {
    /// `SIGTERM` or `SIGINT`: stop.
    case terminate
    /// `SIGHUP`: reload the certificates.
    case reload
  }

  private let descriptor: OwnedDescriptor

  /// Blocks `SIGTERM`, `SIGINT` and `SIGHUP` in this and all later threads. Ignores `SIGPIPE` and `SIGXFSZ`, so that `write`
  /// reports a closed standard output, or a file at its size limit, as an error instead of ending the process.
  ///
  /// Ignores `SIGCHLD` too. If this process is the first process of a container, it becomes the parent of all orphaned processes.
  /// When `SIGCHLD` is ignored, the kernel reaps these processes itself.
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
