import Platform

/// The order in which readers resume. A reader is a task on an actor that waits for the next element of an `AsyncQueue`.
///
/// A continuation does not resume its task directly on the task's actor: the task passes through the global executor (Swift 6.3),
/// where two tasks of one actor may overtake each other. So the next reader of an actor is resumed only after the previously
/// resumed reader runs on the actor again. Readers of different actors do not wait for each other.
final class ReaderOrder: Sendable {
  /// The instance that all sessions of the process share, because one actor can read the queues of several sessions.
  static let shared = ReaderOrder()

  typealias Resumption = @Sendable () -> Void

  /// The postponed resumptions of each actor. An actor has an entry, possibly an empty one, while one of its readers was resumed
  /// but does not run on the actor yet.
  private let waiting = Guarded<[ObjectIdentifier: [Resumption]]>([:])

  /// Resumes a reader that waits on an actor: immediately, or after the readers of this actor that were resumed earlier have reached
  /// the actor.
  ///
  /// The reader calls `didArrive` when it runs on the actor.
  func resume(on actor: ObjectIdentifier, _ resumption: @escaping Resumption) {
    let isFirst = waiting.withLock { waiting in
      guard waiting[actor] == nil else {
        waiting[actor]?.append(resumption)
        return false
      }
      waiting[actor] = []
      return true
    }
    if isFirst { resumption() }
  }

  /// Resumes the next reader that waits on an actor. The previously resumed reader calls this function when it runs on the actor
  /// again.
  func didArrive(on actor: ObjectIdentifier) {
    let next = waiting.withLock { waiting -> Resumption? in
      guard waiting[actor]?.isEmpty == false else {
        waiting[actor] = nil
        return nil
      }
      return waiting[actor]?.removeFirst()
    }
    next?()
  }
}
