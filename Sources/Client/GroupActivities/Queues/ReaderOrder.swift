import Platform

/// The order in which the waiting readers of an actor resume.
///
/// A continuation does not resume its task on the task's actor: the task passes through the global executor (Swift 6.3), where
/// two tasks of one actor may overtake each other. So a reader is resumed only when the reader resumed before it has
/// arrived on their actor. Readers of different actors do not wait for each other.
final class ReaderOrder: Sendable {
  /// The order of the process: an actor may read the queues of several sessions.
  static let shared = ReaderOrder()

  typealias Resumption = @Sendable () -> Void

  /// The resumptions that wait, by actor. An actor has an element while one of its readers was resumed but has not arrived.
  private let waiting = Guarded<[ObjectIdentifier: [Resumption]]>([:])

  /// Resumes a reader now, or after the readers of the actor that were resumed before.
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

  /// Resumes the next reader of an actor. Called by a reader that runs on the actor again.
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
