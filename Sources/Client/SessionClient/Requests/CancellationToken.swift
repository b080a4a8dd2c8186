internal import Glibc
internal import Networking
internal import Platform

/// Whether somebody still wants a request: given up, its socket breaks, and the thread that waits on it goes on.
final class CancellationToken: Sendable {
  private struct State {
    var isCancelled = false
    var socket: Socket?
  }

  private let state = Guarded(State())

  /// Whether it was given up.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Gives the request up; any thread may.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      // Under the lock, for afterwards the number may be another socket's. A socket that broke already cannot be shut
      // down, and need not be.
      if let socket = state.socket { _ = shutdown(socket.descriptor, CInt(SHUT_RDWR)) }
    }
  }

  /// Has the request's socket break when it is given up.
  ///
  /// - Returns: whether it was not given up already.
  func watch(_ socket: Socket) -> Bool {
    state.withLock { state in
      guard !state.isCancelled else { return false }
      state.socket = socket
      return true
    }
  }

  /// The socket is about to be closed.
  func stopWatching() {
    state.withLock { $0.socket = nil }
  }
}
