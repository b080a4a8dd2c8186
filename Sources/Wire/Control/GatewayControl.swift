/// A control message from the gateway: a JSON object with one member that names it.
package enum GatewayControl: Equatable, Sendable {
  /// The answer to `join`.
  case joined(Joined)
  /// The answer to `wait`.
  case waiting(Waiting)
  /// What follows is not live, until `caughtUp`.
  case catchUp(CatchUpKind, epoch: String, sequence: UInt64)
  /// What follows is live.
  case caughtUp(sequence: UInt64)
  /// All entries up to there are on disk.
  case committed(sequence: UInt64)
  /// An entry or a control message was refused.
  case error(Refusal)

  /// The message as the gateway sends it. `caughtUp` and `committed` cost no encoder.
  package func encoded() -> [UInt8] {
    switch self {
    case .caughtUp(let sequence): Self.encoded(#"{"caughtUp":{"sequence":"#, sequence)
    case .committed(let sequence): Self.encoded(#"{"committed":{"sequence":"#, sequence)
    case .joined, .waiting, .catchUp, .error: WireJSON.encode(self)
    }
  }

  /// Reads a control message, for the client's role.
  ///
  /// - Throws: when it is no JSON, has not exactly one member that is known, or is wrong inside.
  package static func decode(_ bytes: Span<UInt8>) throws(WireError) -> GatewayControl {
    try WireJSON.decode(GatewayControl.self, from: bytes)
  }

  private static func encoded(_ head: String, _ sequence: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(head.utf8.count + 22)
    bytes.append(contentsOf: head.utf8)
    bytes.append(decimal: sequence)
    bytes.append(UInt8(ascii: "}"))
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}

/// How somebody is caught up.
package enum CatchUpKind: String, Codable, Sendable {
  /// With all that the session retains.
  case snapshot
  /// With exactly the entries that were missed.
  case tail
}

/// What the gateway says to somebody who joined.
package struct Joined: Codable, Equatable, Sendable {
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
}

/// What the gateway says to somebody who waits.
package struct Waiting: Codable, Equatable, Sendable {
  /// The session.
  package var session: SessionObject
  /// Who is in it.
  package var participants: [Participant]

  /// The session and who is in it.
  package init(session: SessionObject, participants: [Participant]) {
    self.session = session
    self.participants = participants
  }
}

extension GatewayControl: Codable {
  private enum Name: String, CodingKey, CaseIterable {
    case joined, waiting, catchUp, caughtUp, committed, error
  }

  private struct CatchUp: Codable {
    let kind: CatchUpKind
    let epoch: String
    let sequence: UInt64
  }

  private struct Position: Codable {
    let sequence: UInt64
  }

  /// Reads the object with one known member; unknown ones beside it are ignored.
  package init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Name.self) else {  // no object
      throw WireError.unknownControl
    }
    let names = Name.allCases.filter(container.contains)
    guard names.count == 1, let name = names.first else { throw WireError.unknownControl }
    switch name {
    case .joined: self = .joined(try container.decode(Joined.self, forKey: name))
    case .waiting: self = .waiting(try container.decode(Waiting.self, forKey: name))
    case .catchUp:
      let catchUp = try container.decode(CatchUp.self, forKey: name)
      self = .catchUp(catchUp.kind, epoch: catchUp.epoch, sequence: catchUp.sequence)
    case .caughtUp:
      self = .caughtUp(sequence: try container.decode(Position.self, forKey: name).sequence)
    case .committed:
      self = .committed(sequence: try container.decode(Position.self, forKey: name).sequence)
    case .error: self = .error(try container.decode(Refusal.self, forKey: name))
    }
  }

  /// Writes the object with one member.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    switch self {
    case .joined(let joined): try container.encode(joined, forKey: .joined)
    case .waiting(let waiting): try container.encode(waiting, forKey: .waiting)
    case .catchUp(let kind, let epoch, let sequence):
      try container.encode(CatchUp(kind: kind, epoch: epoch, sequence: sequence), forKey: .catchUp)
    case .caughtUp(let sequence):
      try container.encode(Position(sequence: sequence), forKey: .caughtUp)
    case .committed(let sequence):
      try container.encode(Position(sequence: sequence), forKey: .committed)
    case .error(let refusal): try container.encode(refusal, forKey: .error)
    }
  }
}
