internal import FoundationEssentials
package import Wire

/// What a `participant` record says.
package struct ParticipantRecord: Equatable, Sendable {
  /// Whether somebody counts as here.
  package enum Presence: String, Sendable {
    /// In the session, be it with a socket that broke.
    case active
    /// Gone after the grace time; the token still holds.
    case past
    /// Left; the token was given up.
    case left
  }

  /// As everybody sees them.
  package var participant: Participant
  /// Of the token by which they come back; nil when it was given up.
  package var digest: TokenDigest?
  /// The highest client sequence of theirs that is known to be on disk.
  package var acknowledged: UInt32
  /// Whether they count as here.
  package var presence: Presence

  /// What is known of somebody.
  package init(
    participant: Participant, digest: TokenDigest?, acknowledged: UInt32, presence: Presence
  ) {
    self.participant = participant
    self.digest = digest
    self.acknowledged = acknowledged
    self.presence = presence
  }

  /// Reads the body of such a record.
  ///
  /// - Throws: `RecordError` when it is none.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    let members = try RecordMembers(.participant, body)
    let number: ParticipantNumber = try members.integer("number")
    guard number > 0 else { throw members.wrong("number") }
    participant = Participant(
      id: try members.uuid("id"), number: number, name: try members.text("name"),
      color: try members.text("color"))
    digest = nil
    if let text = try members.optionalText("token") {
      guard let digest = TokenDigest(hex: text) else { throw members.wrong("token") }
      self.digest = digest
    }
    acknowledged = try members.integer("acknowledged")
    guard let presence = Presence(rawValue: try members.text("presence")) else {
      throw members.wrong("presence")
    }
    self.presence = presence
  }

  /// The record that says it.
  package var encoded: SessionRecord {
    SessionRecord(.participant) { writer in
      writer.member("number", participant.number)
      writer.member("id", participant.id)
      writer.member("token", digest?.hex)
      writer.member("name", participant.name)
      writer.member("color", participant.color)
      writer.member("acknowledged", acknowledged)
      writer.member("presence", presence.rawValue)
    }
  }
}
