internal import Glibc
internal import Networking
internal import Platform

/// The cancellation of a request. It shuts down the request's socket, so that a thread that is blocked on the socket continues.
final class CancellationToken: Sendable {
  private struct State {
    var isCancelled = false
    var socket: Socket?
  }

  private let state = Guarded(State())

  /// True once the request was cancelled.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Cancels the request. Any thread may call this function.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      // `shutdown` runs under the lock: without the lock, the descriptor could be closed and reused for another socket.
      // `shutdown` fails only for a broken socket, which needs no shutdown.
      if let socket = state.socket { _ = shutdown(socket.descriptor, CInt(SHUT_RDWR)) }
    }
  }

  /// Registers the socket that `cancel` shuts down.
  ///
  /// - Returns: false if the request is already cancelled.
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
