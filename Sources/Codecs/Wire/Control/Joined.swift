/// How somebody is caught up.
package enum CatchUpKind: String, Decodable, Sendable {
  /// With all that the session retains.
  case snapshot
  /// With exactly the entries that were missed.
  case tail
}

/// What the gateway says to somebody who joined.
package struct Joined: Decodable, JSONWritable, Equatable, Sendable {
  /// Who that is now.
  package var participant: Participant
  /// What proves it later.
  package var token: Token
  /// What the sequences belong to.
  package var epoch: String
  /// The session's sequence now.
  package var sequence: UInt64
  /// All up to this is on disk.
  package var committed: UInt64
  /// The highest client sequence of this participant that the session holds.
  package var acknowledged: UInt32
  /// Whether this is a participant from before.
  package var resumed: Bool
  /// The session.
  package var session: SessionObject
  /// The limits in force.
  package var limits: Limits

  /// All that `joined` says.
  package init(
    participant: Participant, token: Token, epoch: String, sequence: UInt64, committed: UInt64,
    acknowledged: UInt32, resumed: Bool, session: SessionObject, limits: Limits
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
  }

  /// Writes the object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("participant", participant)
      writer.member("token", token.text)
      writer.member("epoch", epoch)
      writer.member("sequence", sequence)
      writer.member("committed", committed)
      writer.member("acknowledged", acknowledged)
      writer.member("resumed", resumed)
      writer.member("session", session)
      writer.member("limits", limits)
    }
  }
}

/// What the gateway says to somebody who waits.
package struct Waiting: Decodable, JSONWritable, Equatable, Sendable {
  /// The session.
  package var session: SessionObject
  /// Who is in it.
  package var participants: [Participant]

  /// The session and who is in it.
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
