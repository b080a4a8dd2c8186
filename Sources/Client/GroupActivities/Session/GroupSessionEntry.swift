import SessionClient
public import FoundationEssentials
import Wire

/// Ours: one thing that happens in a session, as it comes from the gateway. For tools that show a board or write down
/// what is sent; programs use `messages(of:)`.
@nonexhaustive
public enum GroupSessionEntry: Sendable {
  /// The session lets this participant in; again, as somebody else, when the gateway no longer knew who it was.
  case joined(Participant)
  /// What comes up to `caughtUp` is what was there before. With a snapshot, whoever keeps a session's state drops what it
  /// held before; else only what was missed is told.
  case catchUp(isSnapshot: Bool)
  /// What follows is live.
  case caughtUp
  /// Everybody who is here now and who waits, each time one of them changed.
  case participants(active: [Participant], waiting: [Participant])
  /// What the session is for from here on; the payload is JSON.
  case activity(identifier: String, title: String, payload: Data?)
  /// A message, one's own too.
  case message(GroupSessionRawMessage)
  /// All attachments, those that are still arriving too, each time one of them changed.
  case attachments([GroupSessionRawAttachment])
  /// How far an upload is, in bytes.
  case progress(id: UUID, offset: Int, size: Int?)
  /// The socket is gone and comes back by itself.
  case away
  /// The session has a successor.
  case successor(URL)
  /// The gateway says something about the session, in words.
  case notice(String)
  /// No connection comes about and why, or why a message of this program's was not taken, in words.
  case trouble(String)

  init?(_ notice: Notice, gateway: GatewayAddress) {
    switch notice {
    case .joined(let joined): self = .joined(Participant(id: joined.participant.id))
    case .catchUp(let kind): self = .catchUp(isSnapshot: kind == .snapshot)
    case .caughtUp: self = .caughtUp
    case .participants(let active, let waiting):
      self = .participants(
        active: active.map { Participant(id: $0.id) }, waiting: waiting.map { Participant(id: $0.id) })
    case .activity(let activity, _):
      self = .activity(
        identifier: activity.identifier, title: activity.title,
        payload: activity.payload.map { Data(WireJSON.encode($0)) })
    case .entry(let entry): self = .message(GroupSessionRawMessage(entry))
    case .attachments(let attachments): self = .attachments(attachments.map(GroupSessionRawAttachment.init))
    case .progress(let progress):
      self = .progress(
        id: progress.id, offset: Int(clamping: progress.offset), size: progress.size.map { Int(clamping: $0) }
      )
    case .successor(let session, _): self = .successor(SessionLink(session: session, at: gateway).url)
    case .notice(let notice): self = .notice(notice.detail)
    case .away: self = .away
    case .trouble(let words): self = .trouble(words)
    case .refused(let entry, let refusal): self = .trouble("A \(entry.type) was refused: \(refusal.detail)")
    case .settled, .ended: return nil
    }
  }
}

/// Ours: a message as it came.
public struct GroupSessionRawMessage: Sendable {
  /// What a message does to what the session keeps.
  @nonexhaustive
  public enum Retention: Hashable, Sendable {
    /// Nothing.
    case none
    /// It is kept behind what is under its key.
    case append
    /// It is kept instead of what is under its key.
    case replace
    /// What is under its key is forgotten.
    case remove
  }

  /// Who sent it; one who left long ago too.
  public let source: Participant
  /// What they are called.
  public let sourceName: String
  /// How they are shown: `#` and six hex digits.
  public let sourceColor: String
  /// Whether this program sent it.
  public let isMine: Bool
  /// Whether it was told before: a snapshot repeats what is kept.
  public let isRepeat: Bool
  /// The message type.
  public let type: String
  /// What was sent.
  public let payload: Data
  /// Whether it is ordered and delivered to everybody.
  public let isReliable: Bool
  /// Whether it is for this participant only, or for some others too, but not for all.
  public let isTargeted: Bool
  /// Whether the payload is encrypted by its sender.
  public let isSealed: Bool
  /// Whether it was to change what is kept, which is no longer there: then it is nothing but this line.
  public let changedNothing: Bool
  /// What it does to what the session keeps.
  public let retention: Retention
  /// The key it is kept under; nil when it is not.
  public let key: UUID?
  /// Its place in the session's order; 0 when it was sent unreliably.
  public let sequence: UInt64

  init(_ entry: ReceivedEntry) {
    source = Participant(id: entry.source.id)
    sourceName = entry.source.name
    sourceColor = entry.source.color
    isMine = entry.isMine
    isRepeat = entry.isRepeat
    type = entry.type
    payload = Data(entry.payload)
    isReliable = entry.flags.contains(.reliable)
    isTargeted = entry.flags.contains(.targeted)
    isSealed = entry.flags.contains(.sealed)
    changedNothing = entry.flags.contains(.existing)
    sequence = entry.sequence
    switch entry.flags.retention {
    case .none: retention = .none
    case .append: retention = .append
    case .replace: retention = .replace
    case .remove: retention = .remove
    }
    key = entry.flags.retention == .none ? nil : entry.key.uuid
  }
}

/// Ours: an attachment as the gateway describes it.
public struct GroupSessionRawAttachment: Identifiable, Sendable {
  /// Its name in the session.
  public let id: UUID
  /// Its file's name.
  public let name: String
  /// Its media type as its uploader gave it.
  public let contentType: String
  /// In bytes; nil while its uploader has not said.
  public let size: Int?
  /// How many bytes of it have arrived.
  public let offset: Int
  /// What its uploader says about it, as JSON.
  public let metadata: Data?
  /// Whether it can be read.
  public let isReady: Bool

  init(_ attachment: AttachmentObject) {
    id = attachment.id
    name = attachment.name
    contentType = attachment.contentType
    size = attachment.size.map { Int(clamping: $0) }
    offset = Int(clamping: attachment.offset)
    metadata = attachment.metadata.map { Data($0.text) }
    isReady = attachment.state == .ready
  }
}
