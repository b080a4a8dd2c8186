/// The kind of a catch-up.
package enum CatchUpKind: String, Decodable, Sendable {
  /// All entries that the session retains.
  case snapshot
  /// Exactly the entries that the participant missed.
  case tail
}

/// The response to a participant who joined.
package struct Joined: Decodable, JSONWritable, Equatable, Sendable {
  /// The participant that joined.
  package var participant: Participant
  /// The secret by which the participant can resume.
  package var token: Token
  /// The epoch to which `sequence` and `committed` belong.
  package var epoch: String
  /// The current sequence of the session.
  package var sequence: UInt64
  /// The sequence up to which all entries are on disk.
  package var committed: UInt64
  /// The highest client sequence of this participant that the session has received.
  package var acknowledged: UInt32
  /// True if the client resumed a participant that existed before this join.
  package var resumed: Bool
  /// The description of the session that the participant joined.
  package var session: SessionObject
  /// The limits in force.
  package var limits: Limits
  /// The JSON of `limits`; nil to encode `limits` for this response. All sessions of a gateway have the same limits, so the
  /// caller can encode them once for many responses.
  private var limitsJSON: [UInt8]?

  private enum CodingKeys: CodingKey {
    case participant, token, epoch, sequence, committed, acknowledged, resumed, session, limits
  }

  /// Creates the response. `limitsJSON` is the JSON of `limits`, or nil to encode `limits` for this response.
  package init(
    participant: Participant, token: Token, epoch: String, sequence: UInt64, committed: UInt64,
    acknowledged: UInt32, resumed: Bool, session: SessionObject, limits: Limits, limitsJSON: [UInt8]? = nil
  ) {
    self.participant = participant
    self.token = token
    self.epoch = epoch
    self.sequence = sequence
    self.committed = committed
    self.acknowledged = acknowledged
    self.resumed = resumed
    self.session = session
    self.limits = limits
    self.limitsJSON = limitsJSON
  }

  /// Writes the object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("participant", participant)
      writer.member("token", token)
      writer.member("epoch", epoch)
      writer.member("sequence", sequence)
      writer.member("committed", committed)
      writer.member("acknowledged", acknowledged)
      writer.member("resumed", resumed)
      writer.member("session", session)
      writer.name("limits")
      if let limitsJSON { writer.write(json: limitsJSON) } else { limits.write(to: &writer) }
    }
  }
}

/// The response to a client that sent `wait`.
package struct Waiting: Decodable, JSONWritable, Equatable, Sendable {
  /// The description of the session in which the client waits.
  package var session: SessionObject
  /// The participants in the session.
  package var participants: [Participant]

  /// Creates the response.
  package init(session: SessionObject, participants: [Participant]) {
    self.session = session
    self.participants = participants
  }

  /// Writes the object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("session", session)
      writer.member("participants", participants)
    }
  }
}
