internal import Glibc
internal import Networking
internal import Platform

/// The cancellation of a request. It shuts down the request's socket, so that the thread blocked on it continues.
final class CancellationToken: Sendable {
  private struct State {
    var isCancelled = false
    var socket: Socket?
  }

  private let state = Guarded(State())

  /// True once the request was cancelled.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Cancels the request. Any thread may call it.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      // This runs under the lock, because afterwards the descriptor may belong to another socket. `shutdown` fails only for a
      // broken socket, which needs no shutdown.
      if let socket = state.socket { _ = shutdown(socket.descriptor, CInt(SHUT_RDWR)) }
    }
  }

  /// Registers a socket, which is shut down at a cancellation.
  ///
  /// - Returns: false if the request was cancelled before.
  func watch(_ socket: Socket) -> Bool {
    state.withLock { state in
      guard !state.isCancelled else { return false }
      state.socket = socket
      return true
    }
  }

  /// Stops watching a socket that is about to be closed.
  func stopWatching() {
    state.withLock { $0.socket = nil }
  }
}
