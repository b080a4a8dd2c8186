import SessionClient
public import FoundationEssentials
import Wire

/// One event of a session, as the gateway sends it. Intended for tools that show or record a session. Other programs use
/// `messages(of:)`. An extension of Apple's API.
@nonexhaustive
public enum GroupSessionEntry: Sendable {
  /// The gateway admitted this participant. The event occurs again, with a new participant identifier, if the gateway has
  /// forgotten this participant when the program reconnects.
  case joined(Participant)
  /// The events between `catchUp` and `caughtUp` happened earlier. If `isSnapshot` is true, they describe the whole state of the
  /// session, and a program that stores this state discards its old copy first. Otherwise they are the events that this program
  /// missed.
  case catchUp(isSnapshot: Bool)
  /// The following events are live.
  case caughtUp
  /// All active and all waiting participants, after each change.
  case participants(active: [Participant], waiting: [Participant])
  /// The new activity. The payload is JSON.
  case activity(identifier: String, title: String, payload: Data?)
  /// A message; messages of this program are included.
  case message(GroupSessionRawMessage)
  /// All attachments, including incomplete uploads, after each change.
  case attachments([GroupSessionRawAttachment])
  /// The progress of an upload, in bytes.
  case progress(id: UUID, offset: Int, size: Int?)
  /// The connection is lost. It is restored automatically.
  case away
  /// The session has a successor.
  case successor(URL)
  /// A message of the gateway about the session.
  case notice(String)
  /// The reason why no connection is possible, or why a message of this program was refused.
  case trouble(String)

  init?(_ notice: SessionEvent, gateway: GatewayAddress) {
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
    case .refused(let entry, let refusal):
      self = .trouble("A message of type \(entry.type) was refused: \(refusal.detail)")
    case .settled, .ended: return nil
    }
  }
}

/// A message as the gateway sent it. An extension of Apple's API.
public struct GroupSessionRawMessage: Sendable {
  /// The effect of a message on the messages that the session retains.
  @nonexhaustive
  public enum Retention: Hashable, Sendable {
    /// The message does not change the retained messages.
    case none
    /// The message is retained in addition to the earlier messages with the same key, and is delivered after them.
    case append
    /// The message replaces the earlier messages with the same key.
    case replace
    /// The earlier messages with the same key are removed.
    case remove
  }

  /// The sender, which may have left long ago.
  public let source: Participant
  /// The sender's name.
  public let sourceName: String
  /// The sender's color: `#` and six hexadecimal digits.
  public let sourceColor: String
  /// True if this program sent the message.
  public let isMine: Bool
  /// True if this program received the message before: a snapshot repeats the messages that the session retains.
  public let isRepeat: Bool
  /// The message type.
  public let type: String
  /// The payload.
  public let payload: Data
  /// True if the message is ordered and delivered to every participant.
  public let isReliable: Bool
  /// True if the message is only for some participants, including this one.
  public let isTargeted: Bool
  /// True if the sender encrypted the payload.
  public let isSealed: Bool
  /// True if the message has no effect, because it applies only to a key whose messages the session no longer retains.
  public let changedNothing: Bool
  /// The effect on the messages that the session retains.
  public let retention: Retention
  /// The key; nil if the message is not retained.
  public let key: UUID?
  /// The position in the session's order; 0 for an unreliable message.
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

/// An attachment as the gateway describes it. An extension of Apple's API.
public struct GroupSessionRawAttachment: Identifiable, Sendable {
  /// The identifier.
  public let id: UUID
  /// The file name.
  public let name: String
  /// The media type that the uploader gave.
  public let contentType: String
  /// The size in bytes; nil if the uploader has not sent it yet.
  public let size: Int?
  /// The number of bytes that the gateway has received.
  public let offset: Int
  /// The uploader's metadata, as JSON.
  public let metadata: Data?
  /// True if the attachment can be loaded.
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
