internal import Wire

/// The identity of this client in the session: the current participant, and all participant numbers that the client has had.
struct LocalIdentity: Sendable {
  /// The participant that the gateway assigned to this client; nil before `joined`.
  private(set) var participant: Participant?
  /// The token of the participant; nil before `joined`, and kept after `leave`.
  private(set) var token: Token?
  /// The participant number under which the outbox's client sequences were assigned.
  private(set) var outboxNumber: ParticipantNumber = 0
  private var numbers: Set<ParticipantNumber> = []
  private var usesToken = true

  /// The token to resume with; nil if the next join creates a new participant.
  var resumeToken: Token? { usesToken ? token : nil }
  /// True when the outbox's client sequences belong to the current participant.
  var ownsOutbox: Bool { outboxNumber == participant?.number }

  /// Returns true if the participant number belongs or belonged to this client.
  func owns(_ number: ParticipantNumber) -> Bool { numbers.contains(number) }

  /// Records the identity in `joined`.
  ///
  /// - Returns: true if this client is now a different participant than before.
  mutating func join(_ joined: Joined) -> Bool {
    let isNew = !joined.resumed || joined.participant.number != participant?.number
    participant = joined.participant
    numbers.insert(joined.participant.number)
    token = joined.token
    usesToken = true
    return isNew
  }

  /// Replaces the description of the participant.
  mutating func update(_ participant: Participant) { self.participant = participant }

  /// Makes the next join create a new participant.
  mutating func discardToken() { usesToken = false }

  /// Records that the outbox's client sequences are assigned under the current number.
  mutating func takeOverOutbox() {
    if let participant { outboxNumber = participant.number }
  }
}
