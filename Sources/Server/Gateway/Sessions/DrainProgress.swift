internal import Platform

/// The progress of a drain in all reactors together.
///
/// A finished reactor still answers requests until all reactors have finished, because another reactor may ask it for a session,
/// and a load balancer may request `/readyz` from any reactor.
final class DrainProgress: Sendable {
  private struct State {
    var readyToFinish = 0
    var finished = 0
    var isClean = true
  }

  private let reactors: Int
  private let state = Guarded(State())

  /// Creates the state before a drain: no reactor is ready or finished.
  init(reactors: Int) {
    self.reactors = reactors
  }

  /// True when every reactor is ready to write its last records. A reactor is ready when it no longer waits for open connections.
  var areAllReadyToFinish: Bool { state.withLock { $0.readyToFinish == reactors } }

  /// Records that a reactor is ready to write its last records.
  ///
  /// - Returns: true when all reactors are ready.
  func reportReady() -> Bool {
    state.withLock { state in
      state.readyToFinish += 1
      return state.readyToFinish == reactors
    }
  }

  /// Records that a reactor has written its last records.
  ///
  /// - Parameter isClean: true when all sessions of this reactor are on the disk.
  /// - Returns: nil while other reactors are still writing. For the last reactor, true if the sessions of all reactors are on the
  ///   disk.
  func reportFinished(isClean: Bool) -> Bool? {
    state.withLock { state in
      state.finished += 1
      state.isClean = state.isClean && isClean
      return state.finished == reactors ? state.isClean : nil
    }
  }
}
