/// A control message of a client: a JSON object with one member, whose name is the kind of the message.
package enum ClientControl: Equatable, Sendable {
  /// The maximum number of bytes of a control message.
  package static let maximumLength = 65_536

  /// Requests to join the session.
  case join(Join)
  /// Requests to see the participants before joining.
  case wait(Profile)
  /// Leaves the session.
  case leave
  /// Ends the session for everyone.
  case end
  /// Changes the sender's name or color.
  case profile(Profile)
  /// Changes the session's activity.
  case activity(ActivityChange)

  /// Parses a control message.
  ///
  /// - Throws: `WireError` for a message that is too long, is not JSON, does not have exactly one known member, or
  ///   has a member with an invalid value.
  package static func decode(_ bytes: Span<UInt8>) throws(WireError) -> ClientControl {
    guard bytes.count <= maximumLength else {
      throw .controlTooLong(limit: maximumLength, actual: bytes.count)
    }
    guard case .object(let message) = try JSONParser.parse(bytes) else { throw .unknownControl }
    var found: (name: Name, value: JSONValue)?
    for (key, value) in message {
      guard let name = Name(rawValue: key) else { continue }
      guard found == nil else { throw .unknownControl }
      found = (name, value)
    }
    guard let (name, value) = found else { throw .unknownControl }
    guard case .object(let members) = value else { throw .invalidMember(name.rawValue) }
    switch name {
    case .join: return .join(try Join(members))
    case .wait: return .wait(try Profile(members))
    case .leave: return .leave
    case .end: return .end
    case .profile: return .profile(try Profile(members))
    case .activity: return .activity(try ActivityChange(members))
    }
  }

  /// Returns the message as a client sends it.
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
