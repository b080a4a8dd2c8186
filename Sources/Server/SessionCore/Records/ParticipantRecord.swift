internal import FoundationEssentials
package import Wire

/// The contents of a `participant` record.
package struct ParticipantRecord: Equatable, Sendable {
  /// The presence of a participant.
  package enum Presence: String, Sendable {
    /// The participant is in the session, possibly within its grace time.
    case active
    /// The participant is gone after its grace time; its token is still valid.
    case past
    /// The participant left and gave up its token.
    case left
  }

  /// The participant as others see it.
  package var participant: Participant
  /// The digest of the token; nil if the token was given up.
  package var digest: TokenDigest?
  /// The participant's highest client sequence that is known to be on disk.
  package var acknowledged: UInt32
  /// The presence of the participant.
  package var presence: Presence
  /// The requested color if the participant has another color; otherwise nil.
  package var requestedColor: RGBColor?

  /// Creates the contents of a record.
  package init(
    participant: Participant, digest: TokenDigest?, acknowledged: UInt32, presence: Presence,
    requestedColor: RGBColor? = nil
  ) {
    self.participant = participant
    self.digest = digest
    self.acknowledged = acknowledged
    self.presence = presence
    self.requestedColor = requestedColor
  }

  /// Reads the body of a `participant` record.
  ///
  /// - Throws: `RecordError` for any other body.
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
    requestedColor = try members.optionalText("requestedColor").flatMap { RGBColor($0) }
  }

  /// The `participant` record with these contents.
  package var encoded: SessionRecord {
    SessionRecord(.participant) { writer in
      writer.member("number", participant.number)
      writer.member("id", participant.id)
      writer.member("token", digest?.hex)
      writer.member("name", participant.name)
      writer.member("color", participant.color)
      writer.member("acknowledged", acknowledged)
      writer.member("presence", presence.rawValue)
      writer.member("requestedColor", requestedColor?.text)
    }
  }
}
