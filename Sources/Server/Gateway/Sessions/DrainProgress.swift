internal import Platform

/// The progress of a drain over all reactors.
///
/// A reactor that is done keeps answering until all are done: another reactor may ask it for a session, and a load balancer may ask any
/// reactor for `/readyz`.
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

  /// Counts a reactor whose connections need no more time.
  ///
  /// - Returns: true for the last reactor.
  func reportReady() -> Bool {
    state.withLock { state in
      state.readyToFinish += 1
      return state.readyToFinish == reactors
    }
  }

  /// Counts a reactor that has nothing left to write.
  ///
  /// - Parameter isClean: true when all its sessions are on the disk.
  /// - Returns: nil while others are left; with the last one, true when all of them were clean.
  func reportFinished(isClean: Bool) -> Bool? {
    state.withLock { state in
      state.finished += 1
      state.isClean = state.isClean && isClean
      return state.finished == reactors ? state.isClean : nil
    }
  }
}
