internal import FoundationEssentials
internal import SessionCore
internal import Primitives
internal import Wire

/// A session and what the reactor notes about it.
final class Hosted {
  let session: Session
  /// Something was said in this turn.
  var isDirty = false
  /// What its last turn came to is being sent; until all have it, what arrives is collected for the next flush.
  var isFlushing = false {
    didSet { stored.isFlushing = isFlushing }
  }
  var scheduledAt: MonotonicTime?
  /// When its turn is ended, and how many messages came since it last was.
  var pacer = FlushPacer()
  var messages = 0
  /// When the oldest of them came, and the oldest of what is being sent: distant future without any.
  var saidAt = MonotonicTime.distantFuture
  var flushedFrom = MonotonicTime.distantFuture
  /// Whether those who are at the tail are sent to in this flush.
  var tellsSettled = true
  var presence = PresencePacer()
  /// The flush that was its last when the sweep looked, and whether it holds room for the next.
  var sweptFlush: UInt32 = 0
  var hasRoom = false
  /// It has ended, expired or been put away: nothing of it counts any more.
  var isRemoved = false {
    didSet { stored.isRemoved = isRemoved }
  }
  /// What of it is in the reactor's gauges.
  var countedParticipants = 0
  var countedLogBytes = 0
  /// The attachments whose bytes have not all arrived, or are not in their place yet.
  var uploads: [UUID: PendingAttachment] = [:]
  /// Sockets of those who have not said yet that they join.
  var openedSockets = 0
  /// What is in hand for it over several turns: it is not put away before that is over.
  var tasksInHand = 0
  /// Its successor is being made; those who asked for it too wait here.
  var isBeingFollowed = false
  var followers: [CheckedContinuation<Void, Never>] = []
  /// Somebody ends it; others who want to wait for what comes of that.
  var isEnding = false
  var endWaiters: [CheckedContinuation<Void, Never>] = []
  /// When it was found to have nobody in it, and nothing in hand.
  var idleSince: MonotonicTime?

  /// The progress of its records to the store.
  let stored: StoredSession

  /// Hosts a session; the compressor is the reactor's own.
  init(_ session: Session, compressor: CatchUpCompressor) {
    self.session = session
    stored = StoredSession(session)
    session.compressor = compressor.compress
  }

  /// Nobody is in it, waits, or brings bytes, and nothing else is in hand.
  var isIdle: Bool {
    session.activeParticipantCount == 0 && session.members.isEmpty && !session.hasWaiting
      && openedSockets == 0
      && tasksInHand == 0 && !stored.isCompacting
      && uploads.values.allSatisfy { !$0.isBusy }
  }
}
