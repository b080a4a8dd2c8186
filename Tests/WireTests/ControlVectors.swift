import FoundationEssentials
import TestSupport
import Testing
import Wire

/// The content of `Tests/Vectors/controlMessages.json`.
struct ControlVectors: Decodable, Sendable {
  static let file: ControlVectors = Vectors.load("controlMessages")

  let fromClients: [ControlVector<ClientMessage>]
  let fromGateway: [ControlVector<GatewayMessage>]
  let refusedFromClients: [RefusedControlVector]
  let refusedFromGateway: [RefusedControlVector]
}

/// A control message as text and as the values that a receiver reads from it.
struct ControlVector<Message: Decodable & Sendable>: Decodable, Sendable, CustomTestStringConvertible {
  let text: VectorText
  let message: Message
  /// False if no sender writes exactly this text.
  let isWritten: Bool

  private enum CodingKeys: CodingKey { case text, message, isWritten }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    text = try container.decode(VectorText.self, forKey: .text)
    message = try container.decode(Message.self, forKey: .message)
    isWritten = try container.decodeIfPresent(Bool.self, forKey: .isWritten) ?? true
  }

  var testDescription: String { String(text.text.prefix(100)) }
}

/// A control message that a receiver refuses.
struct RefusedControlVector: Decodable, Sendable, CustomTestStringConvertible {
  let text: VectorText
  let error: String
  let member: String?
  let limit: Int?
  let actual: Int?
  let code: String?
  let refusedBy: [String]?

  var testDescription: String { "\(error): \(text.text.prefix(60))" }

  /// The expected error; nil for an unknown name.
  var wireError: WireError? {
    let (member, limit, actual) = (member ?? "", limit ?? -1, actual ?? -1)
    switch error {
    case "not-json": return .notJSON
    case "unknown-control": return .unknownControl
    case "invalid-member": return .invalidMember(member)
    case "text-length": return .textLength(member: member, limit: limit, actual: actual)
    case "payload-too-large": return .payloadTooLarge(limit: limit, actual: actual)
    case "control-too-long": return .controlTooLong(limit: limit, actual: actual)
    default: return nil
    }
  }
}

/// A control message of a client, made from the values of a vector without the decoder under test.
struct ClientMessage: Decodable, Sendable {
  let control: ClientControl

  private enum Kind: CodingKey { case join, wait, leave, end, profile, activity }

  private struct ProfileMembers: Decodable {
    let name: String?
    let color: String?
    var profile: Profile { Profile(name: name, color: color) }
  }

  private struct JoinMembers: Decodable {
    struct ResumeMembers: Decodable {
      let token: String?
      let epoch: String?
      let after: UInt64?
      let next: UInt32?
    }

    let name: String?
    let color: String?
    let resume: ResumeMembers?

    var join: Join {
      Join(
        profile: Profile(name: name, color: color),
        resume: resume.map {
          Resume(token: $0.token.flatMap { Token($0) }, epoch: $0.epoch, after: $0.after, next: $0.next)
        })
    }
  }

  private struct ActivityMembers: Decodable {
    let change: ActivityChange

    private enum CodingKeys: CodingKey { case title, payload }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      change = ActivityChange(
        title: try container.decodeIfPresent(String.self, forKey: .title),
        payload: container.contains(.payload)
          ? try container.decode(ExactJSON.self, forKey: .payload).value : nil)
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    switch container.allKeys.first {
    case .join: control = .join(try container.decode(JoinMembers.self, forKey: .join).join)
    case .wait: control = .wait(try container.decode(ProfileMembers.self, forKey: .wait).profile)
    case .profile: control = .profile(try container.decode(ProfileMembers.self, forKey: .profile).profile)
    case .activity: control = .activity(try container.decode(ActivityMembers.self, forKey: .activity).change)
    case .leave: control = .leave
    case .end, nil: control = .end
    }
  }
}

/// A control message of the gateway, made from the values of a vector without the decoder under test.
struct GatewayMessage: Decodable, Sendable {
  let control: GatewayControl

  private enum Kind: CodingKey { case joined, waiting, catchUp, caughtUp, committed, error }

  private struct ParticipantMembers: Decodable {
    let id: UUID
    let number: UInt32
    let name: String
    let color: String
    var participant: Participant { Participant(id: id, number: number, name: name, color: color) }
  }

  private struct SessionMembers: Decodable {
    struct ActivityMembers: Decodable {
      let identifier: String
      let title: String
      let type: String
      let payload: ExactJSON?
    }

    let id: String
    let link: String
    let activity: ActivityMembers
    let createdAt: String
    let participants: Int
    let sequence: UInt64

    func session() throws -> SessionObject {
      SessionObject(
        id: try #require(SessionID(id)), link: link,
        activity: Activity(
          identifier: activity.identifier, title: activity.title, type: activity.type,
          payload: activity.payload?.value),
        createdAt: try Date.ISO8601FormatStyle().parse(createdAt), participants: participants,
        sequence: sequence)
    }
  }

  private struct JoinedMembers: Decodable {
    let participant: ParticipantMembers
    let token: String
    let epoch: String
    let sequence: UInt64
    let committed: UInt64
    let acknowledged: UInt32
    let resumed: Bool
    let session: SessionMembers
    let limits: [String: Int]

    func joined() throws -> Joined {
      var inForce = Limits()
      for limit in Limits.all { inForce[keyPath: limit.keyPath] = try #require(limits[limit.name]) }
      return Joined(
        participant: participant.participant, token: try #require(Token(token)), epoch: epoch,
        sequence: sequence,
        committed: committed, acknowledged: acknowledged, resumed: resumed, session: try session.session(),
        limits: inForce)
    }
  }

  private struct WaitingMembers: Decodable {
    let session: SessionMembers
    let participants: [ParticipantMembers]
  }

  private struct PositionMembers: Decodable {
    let kind: String?
    let epoch: String?
    let sequence: UInt64
  }

  private struct ErrorMembers: Decodable {
    let code: String
    let detail: String
    let clientSequence: UInt32?
    let limit: UInt64?
    let actual: UInt64?
    let retryAfterMs: UInt64?
    let expected: UInt32?

    func refusal() throws -> Refusal {
      var refusal = Refusal(try #require(ErrorCode(rawValue: code)), detail)
      refusal.clientSequence = clientSequence
      refusal.limit = limit
      refusal.actual = actual
      refusal.retryAfterMs = retryAfterMs
      refusal.expected = expected
      return refusal
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    switch container.allKeys.first {
    case .joined: control = .joined(try container.decode(JoinedMembers.self, forKey: .joined).joined())
    case .waiting:
      let waiting = try container.decode(WaitingMembers.self, forKey: .waiting)
      control = .waiting(
        Waiting(session: try waiting.session.session(), participants: waiting.participants.map(\.participant))
      )
    case .catchUp:
      let catchUp = try container.decode(PositionMembers.self, forKey: .catchUp)
      let kind = catchUp.kind == "snapshot" ? CatchUpKind.snapshot : .tail
      control = .catchUp(kind, epoch: catchUp.epoch ?? "", sequence: catchUp.sequence)
    case .caughtUp:
      control = .caughtUp(sequence: try container.decode(PositionMembers.self, forKey: .caughtUp).sequence)
    case .error: control = .error(try container.decode(ErrorMembers.self, forKey: .error).refusal())
    case .committed, nil:
      control = .committed(sequence: try container.decode(PositionMembers.self, forKey: .committed).sequence)
    }
  }
}

/// A JSON value with exact integers. The decoder of `JSONValue` itself is under test.
struct ExactJSON: Decodable, Sendable {
  let value: JSONValue

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // A failed attempt means that the value has another type.
    if container.decodeNil() {
      value = .null
    } else if let flag = try? container.decode(Bool.self) {
      value = .bool(flag)
    } else if let number = try? container.decode(Int64.self) {
      value = .integer(number)
    } else if let number = try? container.decode(UInt64.self) {
      value = .unsigned(number)
    } else if let number = try? container.decode(Double.self) {
      value = .number(number)
    } else if let text = try? container.decode(String.self) {
      value = .string(text)
    } else if let list = try? container.decode([ExactJSON].self) {
      value = .array(list.map(\.value))
    } else {
      value = .object(try container.decode([String: ExactJSON].self).mapValues(\.value))
    }
  }
}
