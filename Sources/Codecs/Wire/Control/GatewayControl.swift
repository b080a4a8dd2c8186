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

  /// The message as the gateway sends it.
  package func encoded() -> [UInt8] {
    WireJSON.encode(self)
  }

  /// Reads a control message, for the client's role.
  ///
  /// - Throws: when it is no JSON, has not exactly one member that is known, or is wrong inside.
  package static func decode(_ bytes: Span<UInt8>) throws(WireError) -> GatewayControl {
    try WireJSON.decode(GatewayControl.self, from: bytes)
  }
}

extension GatewayControl: Decodable {
  private enum Name: String, CodingKey, CaseIterable {
    case joined, waiting, catchUp, caughtUp, committed, error
  }

  private struct CatchUp: Decodable {
    let kind: CatchUpKind
    let epoch: String
    let sequence: UInt64
  }

  private struct Position: Decodable {
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
}

extension GatewayControl: JSONWritable {
  /// Writes the object with one member.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .joined(let joined): writer.member("joined", joined)
      case .waiting(let waiting): writer.member("waiting", waiting)
      case .catchUp(let kind, let epoch, let sequence):
        writer.name("catchUp")
        writer.object { writer in
          writer.member("kind", kind.rawValue)
          writer.member("epoch", epoch)
          writer.member("sequence", sequence)
        }
      case .caughtUp(let sequence):
        writer.name("caughtUp")
        writer.object { $0.member("sequence", sequence) }
      case .committed(let sequence):
        writer.name("committed")
        writer.object { $0.member("sequence", sequence) }
      case .error(let refusal): writer.member("error", refusal)
      }
    }
  }
}
