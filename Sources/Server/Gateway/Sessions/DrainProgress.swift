internal import Platform

/// The progress of a drain over all reactors.
///
/// A reactor that has finished continues to answer until all reactors have finished. Another reactor may ask it for a session,
/// and a load balancer may request `/readyz` from any reactor.
final class DrainProgress: Sendable {
  private struct State {
    var readyToFinish = 0
    var finished = 0
    var isClean = true
  }

  private let reactors: Int
  private let state = Guarded(State())

  /// Creates the progress before the drain.
  init(reactors: Int) {
    self.reactors = reactors
  }

  /// True when the connections of every reactor need no more time.
  var areAllReadyToFinish: Bool { state.withLock { $0.readyToFinish == reactors } }

  /// Records that the connections of a reactor need no more time.
  ///
  /// - Returns: true for the last reactor.
  func reportReady() -> Bool {
    state.withLock { state in
      state.readyToFinish += 1
      return state.readyToFinish == reactors
    }
  }

  /// Records that a reactor has written all its records.
  ///
  /// - Parameter isClean: true when all its sessions are on the disk.
  /// - Returns: nil while other reactors are still writing; for the last reactor, true if all of them were clean.
  func reportFinished(isClean: Bool) -> Bool? {
    state.withLock { state in
      state.finished += 1
      state.isClean = state.isClean && isClean
      return state.finished == reactors ? state.isClean : nil
    }
  }
}
