/// The asynchronous tasks that the components of a reactor start. The reactor runs them on its own thread, after the present turn
/// or job.
///
/// Components must pass a function, not a closure literal: in Swift 6.3, a closure literal in a synchronous function would run on
/// another thread.
final class LoopTasks {
  typealias Work = () async -> Void

  private var pending: [Work] = []

  /// Schedules work to start after the present turn. Several tasks start in the order of the calls.
  ///
  /// - Parameter work: a function or method, not a closure literal.
  func start(_ work: @escaping Work) {
    // The array is swapped into a local variable to change it. Then the compiler can remove the run-time exclusivity checks of
    // the property, also in `takeAll`, which every turn calls.
    var pending: [Work] = []
    swap(&pending, &self.pending)
    pending.append(work)
    swap(&pending, &self.pending)
  }

  /// Removes and returns the work that was scheduled since the last call.
  func takeAll() -> [Work] {
    var taken: [Work] = []
    swap(&taken, &pending)
    return taken
  }
}
