internal import Primitives

/// A session of a reactor, with the work that keeps it in memory.
final class SessionHost: LiveSession {
  /// The earliest deadline of the session in `SessionTable`.
  var scheduledAt: MonotonicTime?
  /// The asynchronous tasks of the session. It is not unloaded before they have finished.
  var tasksInHand = 0
  /// True while its successor is created; other requests for a successor wait.
  var isBeingFollowed = false
  var followers: [CheckedContinuation<Void, Never>] = []
  /// True while its end is written; other requests for the end wait.
  var isEnding = false
  var endWaiters: [CheckedContinuation<Void, Never>] = []
  /// The time since which the session is idle.
  var idleSince: MonotonicTime?
}
