internal import Primitives

/// A session in the memory of a reactor, with the state that decides when the session is unloaded.
final class SessionHost: LiveSession {
  /// The earliest deadline that `SessionTable` has scheduled for the session; nil if none is scheduled.
  var scheduledAt: MonotonicTime?
  /// The deadlines later than `scheduledAt` that are also in the queue of `SessionTable`, the latest first. When `scheduledAt`
  /// has passed, the last element (the earliest of these deadlines) becomes the new `scheduledAt`. So a deadline that is already
  /// in the queue is not added again.
  var laterDeadlines: [MonotonicTime] = []
  /// The number of unfinished asynchronous tasks of the session. The session stays in memory until all of them have finished.
  var tasksInHand = 0
  /// True while a successor of the session is being created. Other requests for a successor wait in `followers`.
  var isBeingFollowed = false
  var followers: [CheckedContinuation<Void, Never>] = []
  /// True while the `end` record of the session is being written. Other requests to end the session wait in `endWaiters`.
  var isEnding = false
  var endWaiters: [CheckedContinuation<Void, Never>] = []
  /// The time since which the session has been idle; nil while the session is in use.
  var idleSince: MonotonicTime?
}
