/// A control message from a client: a JSON object with one member that names it.
package enum ClientControl: Equatable, Sendable {
  /// The most bytes of a control message.
  package static let maximumLength = 65_536

  /// Wants to be in the session.
  case join(Join)
  /// Wants to see who is in it, for now.
  case wait(Profile)
  /// Leaves for good.
  case leave
  /// Ends the session for everyone.
  case end
  /// Wants to be shown in another way.
  case profile(Profile)
  /// Changes the session's activity.
  case activity(ActivityChange)

  /// Reads a control message.
  ///
  /// - Throws: when it is too long, no JSON, has not exactly one member that is known, or is wrong inside.
  package static func decode(_ bytes: Span<UInt8>) throws(WireError) -> ClientControl {
    guard bytes.count <= maximumLength else {
      throw .controlTooLong(limit: maximumLength, actual: bytes.count)
    }
    guard case .object(let message) = try JSONParser.parse(bytes) else { throw .unknownControl }
    let names = Name.allCases.filter { message[$0.rawValue] != nil }
    guard names.count == 1, let name = names.first else { throw .unknownControl }
    guard case .object(let members)? = message[name.rawValue] else {
      throw .wrongMember(name.rawValue)
    }
    switch name {
    case .join: return .join(try Join(members))
    case .wait: return .wait(try Profile(members))
    case .leave: return .leave
    case .end: return .end
    case .profile: return .profile(try Profile(members))
    case .activity: return .activity(try ActivityChange(members))
    }
  }

  /// The message as a client sends it.
  package func encoded() -> [UInt8] {
    WireJSON.encode(self)
  }
}

extension ClientControl: JSONWritable {
  private enum Name: String, CaseIterable {
    case join, wait, leave, end, profile, activity
  }

  /// Writes the object with one member.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .join(let join): writer.member("join", join)
      case .wait(let profile): writer.member("wait", profile)
      case .leave: writer.member("leave", JSONValue.object([:]))
      case .end: writer.member("end", JSONValue.object([:]))
      case .profile(let profile): writer.member("profile", profile)
      case .activity(let change): writer.member("activity", change)
      }
    }
  }
}
