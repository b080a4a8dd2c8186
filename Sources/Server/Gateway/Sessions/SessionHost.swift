internal import Primitives

/// A session of a reactor, with the work that keeps it in memory.
final class SessionHost: LiveSession {
  /// The earliest deadline of the session in `SessionTable`.
  var scheduledAt: MonotonicTime?
  /// The asynchronous tasks of the session. The session is not unloaded before they have finished.
  var tasksInHand = 0
  /// True while a successor is created. Other requests for a successor then wait.
  var isBeingFollowed = false
  var followers: [CheckedContinuation<Void, Never>] = []
  /// True while the end of the session is written. Other requests to end it then wait.
  var isEnding = false
  var endWaiters: [CheckedContinuation<Void, Never>] = []
  /// The time since which the session is idle.
  var idleSince: MonotonicTime?
}
