internal import FoundationEssentials
internal import Primitives
internal import SessionCore
internal import Wire

/// A session of a reactor, with its uploads and with the work that keeps it in memory.
final class SessionHost: LiveSession {
  /// The earliest deadline of the session in `SessionTable`.
  var scheduledAt: MonotonicTime?
  /// The attachments whose bytes have not all arrived, or are not in their place yet.
  var uploads: [UUID: PendingAttachment] = [:]
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

  /// True when the session has no participants, sockets, uploads or tasks.
  var isIdle: Bool {
    session.activeParticipantCount == 0 && session.members.isEmpty && !session.hasWaiting
      && unjoinedSockets == 0 && tasksInHand == 0 && !stored.isCompacting
      && uploads.values.allSatisfy { !$0.isBusy }
  }
}
