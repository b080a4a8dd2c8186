package import FoundationEssentials
package import Wire

/// What happens in a session, as a participant's side is told: one after the other, in the session's order.
package enum SessionEvent: Sendable {
  /// The session lets me in. Comes first, and again when the gateway no longer knew me after a cut: then I am somebody else.
  case joined(Joined)
  /// Entries of a catch-up follow. With a snapshot, whoever keeps a session's state drops what it held before.
  case catchUp(CatchUpKind)
  /// What was before is there; what follows is live.
  case caughtUp
  /// Everybody who is here now, me included, and who waits; the whole of both, each time one of them changed.
  case participants(active: [Participant], waiting: [Participant])
  /// What the session is for from here on, and who said so; 0 is whoever made it.
  case activity(Activity, by: ParticipantNumber)
  /// An entry, reliable or not; mine come back too.
  case entry(ReceivedEntry)
  /// All attachments of the session, those that are still arriving too, each time one of them changed.
  case attachments([AttachmentObject])
  /// How far an upload is.
  case progress(AttachmentProgressPayload)
  /// The session has a successor.
  case successor(SessionID, by: ParticipantNumber)
  /// The gateway says something about the session.
  case notice(NoticePayload)
  /// The socket is gone and comes back by itself: no leave. Sends wait.
  case away
  /// All that was sent up to here is on the gateway's disk: nothing waits.
  case settled
  /// The gateway takes this message for no good one, and nobody gets it; those behind it go on.
  case refused(OutgoingEntry, Refusal)
  /// Something does not come about, and why, in words: a connection, or that what is sent is taken (tries go on); or a change of
  /// the activity, or the session's end, that the gateway refused for good.
  case trouble(String)
  /// It is over, and nothing follows.
  case ended(EndReason)
}

/// Why there will be no more of a session.
package enum EndReason: Error, Equatable, Sendable {
  /// By `leave`.
  case left
  /// Somebody ended it for everyone.
  case ended
  /// There is no such session, or no longer.
  case notFound
  /// There are as many in it as may be.
  case full
  /// The same participant came back elsewhere. Never told at present: after 4009 the session goes on as somebody new.
  case resumedElsewhere
  /// The gateway speaks no version that we speak.
  case versionNotSpoken
  /// The gateway's certificate is not to be trusted; why, in words.
  case notTrusted(String)
  /// What answers there is no gateway; why, in words.
  case noGateway(String)
  /// The system gives this process no thread or descriptor to connect with; why, in words.
  case noConnections(String)
  /// The gateway refuses for good, by a close code or an HTTP status; in its words.
  case refused(code: UInt16, detail: String)
}

/// An entry as it came.
package struct ReceivedEntry: Sendable {
  /// Who sent it; one who left long ago too.
  package let source: Participant
  /// Whether that is me.
  package let isMine: Bool
  /// The message type.
  package let type: String
  /// What was sent.
  package let payload: [UInt8]
  /// How it was sent, and is kept.
  package let flags: EntryFlags
  /// The key it is kept under; zero when it is not.
  package let key: EntryKey
  /// Its place in the session's order; 0 when it was sent unreliably.
  package let sequence: UInt64
  /// Its sender's number for it, counted from 1 in the sender's order; 0 when it was sent unreliably.
  package let clientSequence: UInt32
  /// Whether this one was told before: a snapshot repeats what is kept. Whoever takes messages passes over it.
  package let isRepeat: Bool

  /// All of it.
  package init(
    source: Participant, isMine: Bool, type: String, payload: [UInt8], flags: EntryFlags, key: EntryKey,
    sequence: UInt64, clientSequence: UInt32, isRepeat: Bool
  ) {
    self.source = source
    self.isMine = isMine
    self.type = type
    self.payload = payload
    self.flags = flags
    self.key = key
    self.sequence = sequence
    self.clientSequence = clientSequence
    self.isRepeat = isRepeat
  }
}

/// A message that is to be sent.
package struct OutgoingEntry: Sendable {
  /// Whether it is ordered, delivered and acknowledged.
  package var isReliable: Bool
  /// How it is kept; `none` for what is unreliable or has targets.
  package var retention: Retention
  /// Only if the key is held at that point.
  package var onlyIfExisting: Bool
  /// Under which key; zero when it is not kept.
  package var key: EntryKey
  /// The ids of those it goes to; nil for everyone. Nobody by an empty list.
  package var targets: [UUID]?
  /// The message type, 1 to 255 bytes.
  package var type: String
  /// The payload.
  package var payload: [UInt8]

  /// A message to everyone, reliable and not kept, unless said otherwise.
  package init(
    type: String, payload: [UInt8], isReliable: Bool = true, retention: Retention = .none,
    onlyIfExisting: Bool = false, key: EntryKey = .zero, targets: [UUID]? = nil
  ) {
    self.type = type
    self.payload = payload
    self.isReliable = isReliable
    self.retention = retention
    self.onlyIfExisting = onlyIfExisting
    self.key = key
    self.targets = targets
  }
}

/// Why a message was not taken; nothing of it was sent.
package enum AdmissionError: Error, Equatable, Sendable {
  /// Its payload is larger than a message may be, in bytes.
  case tooLarge(limit: Int, actual: Int)
  /// Its type has no byte, or more than 255.
  case typeLength(actual: Int)
  /// More went out than the rate allows; after that time there is room for a quarter of the burst.
  case rateLimited(retryAfter: Duration)
  /// So many bytes wait to be sent already, for there is no connection.
  case queueFull(limit: Int)
  /// There are more targets than 1,000.
  case tooManyTargets(limit: Int, actual: Int)
  /// The session was not joined yet, or is over.
  case notJoined
}
