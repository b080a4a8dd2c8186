/// A control message of the gateway: a JSON object with one member, whose name is the kind of the message.
package enum GatewayControl: Equatable, Sendable {
  /// The response to `join`.
  case joined(Joined)
  /// The response to `wait`.
  case waiting(Waiting)
  /// A catch-up begins: the entries before the message `caughtUp` are not live.
  case catchUp(CatchUpKind, epoch: String, sequence: UInt64)
  /// The entries that follow are live.
  case caughtUp(sequence: UInt64)
  /// All entries up to this sequence are on disk.
  case committed(sequence: UInt64)
  /// An entry or a control message was refused.
  case error(Refusal)

  /// Returns the message as the gateway sends it.
  package func encoded() -> [UInt8] {
    // `joined` is longer than other messages, because it contains the limits.
    if case .joined = self { WireJSON.encode(self, capacity: 2_048) } else { WireJSON.encode(self) }
  }

  /// Parses a control message that a client has received.
  ///
  /// - Throws: `WireError` for a message that is not JSON, does not have exactly one known member, or has a member
  ///   with an invalid value.
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

  /// Decodes the object with one known member; other, unknown members are ignored.
  package init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Name.self) else {  // the JSON is not an object
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
