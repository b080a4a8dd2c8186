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
  var isFlushing = false
  var scheduledAt: Instant?
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
  var isRemoved = false
  /// What of it is in the reactor's gauges.
  var countedParticipants = 0
  var countedLogBytes = 0
  /// Uploads under way, by their attachment.
  var uploads: [UUID: UploadSlot] = [:]
  /// Something of it may be on the disk.
  var hasFiles = false
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
  var idleSince: Instant?

  /// What of it is on the disk, and what is asked of the next write.
  var saving = SavingState()

  /// Hosts a session; the compressor is the reactor's own.
  init(_ session: Session, compressor: CatchUpCompressor) {
    self.session = session
    session.compressor = compressor.compress
  }

  /// Its log says that all of it is there.
  var isClosed: Bool {
    saving.last == .closed && !session.hasUnsaved && !saving.isInFlight
  }

  /// Nobody is in it, waits, or brings bytes, and nothing else is in hand.
  var isIdle: Bool {
    session.activeParticipantCount == 0 && session.members.isEmpty && !session.hasWaiting
      && openedSockets == 0
      && tasksInHand == 0
      && uploads.values.allSatisfy { $0.holder == nil && $0.pendingStarts == 0 && !$0.isWhole }
  }
}

/// What is noted of a session's way to the disk.
struct SavingState {
  /// Somebody who waits until all that the session holds by now is on the disk.
  struct Waiter {
    let sequence: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// The last record of a log.
  enum Last: Equatable {
    /// The session goes on, or nobody knows.
    case open
    /// It was put away, or is about to be. When it goes on after all, more is written behind it.
    case closed
    /// It is over: nothing is ever written behind that.
    case end
  }

  /// The wish to write the last record of a log.
  final class Closing {
    enum Kind {
      case closed
      /// By whom.
      case end(ParticipantNumber?)
    }

    let kind: Kind
    /// Who waits for it to be on the disk, or to have failed.
    var waiters: [CheckedContinuation<Bool, Never>] = []

    init(_ kind: Kind) {
      self.kind = kind
    }
  }

  /// It stands among those that the next batch is made of.
  var isQueued = false
  /// A batch that holds something of it is being written.
  var isInFlight = false
  /// Those who wait for a batch that is still to be made.
  var waiters: [Waiter] = []
  /// What is to be written when nothing else is left to be.
  var closing: Closing?
  /// What its log ends with.
  var last = Last.open
  /// Bytes of its log's file.
  var logBytes = 0
  /// Its log is being written anew.
  var isCompacting = false
  /// Not before: it failed.
  var compactAgainAt: MonotonicTime?
  /// What of it is in the gateway's count of what is not on the disk.
  var countedUnsaved = 0
}
