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
    let control = try WireJSON.decode(ClientControl.self, from: bytes)
    if case .activity(let change) = control { try change.validate() }
    return control
  }

  /// The message as a client sends it.
  package func encoded() -> [UInt8] {
    WireJSON.encode(self)
  }
}

/// What somebody brings who joins.
package struct Join: Codable, Equatable, Sendable {
  /// How to be shown, as sent: not sanitised.
  package var profile: Profile
  /// What is known from before.
  package var resume: Resume?

  enum CodingKeys: String, CodingKey {
    case resume
  }

  /// A join, with a resume or for the first time.
  package init(profile: Profile = Profile(), resume: Resume? = nil) {
    self.profile = profile
    self.resume = resume
  }

  /// Reads the members beside each other: those of the profile, and `resume`.
  package init(from decoder: any Decoder) throws {
    profile = try Profile(from: decoder)
    resume = try decoder.container(keyedBy: CodingKeys.self)
      .decodeIfPresent(Resume.self, forKey: .resume)
  }

  /// Writes the members beside each other.
  package func encode(to encoder: any Encoder) throws {
    try profile.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(resume, forKey: .resume)
  }
}

/// What somebody says who was here before.
package struct Resume: Codable, Equatable, Sendable {
  /// Who it is; `nil` when it is missing or no token, which makes a new participant.
  package var token: Token?
  /// The epoch that `after` belongs to.
  package var epoch: String?
  /// The sequence up to which everything was applied.
  package var after: UInt64?
  /// The lowest client sequence still held, or used next; never 0.
  package var next: UInt32?

  /// What a client knows; all of it may be missing.
  package init(
    token: Token? = nil, epoch: String? = nil, after: UInt64? = nil, next: UInt32? = nil
  ) {
    self.token = token
    self.epoch = epoch
    self.after = after
    self.next = next
  }

  /// Reads a resume. A text that is no token is one that nobody knows, and a `next` of 0 says nothing.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    token = try container.decodeIfPresent(String.self, forKey: .token).flatMap { Token($0) }
    epoch = try container.decodeIfPresent(String.self, forKey: .epoch)
    after = try container.decodeIfPresent(UInt64.self, forKey: .after)
    next = try container.decodeIfPresent(UInt32.self, forKey: .next).flatMap { $0 == 0 ? nil : $0 }
  }
}

extension ClientControl: Codable {
  private enum Name: String, CodingKey, CaseIterable {
    case join, wait, leave, end, profile, activity
  }

  private struct Empty: Codable {}

  /// Reads the object with one known member; unknown ones beside it are ignored.
  package init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Name.self) else {  // no object
      throw WireError.unknownControl
    }
    let names = Name.allCases.filter(container.contains)
    guard names.count == 1, let name = names.first else { throw WireError.unknownControl }
    switch name {
    case .join: self = .join(try container.decode(Join.self, forKey: name))
    case .wait: self = .wait(try container.decode(Profile.self, forKey: name))
    case .leave:
      _ = try container.decode(Empty.self, forKey: name)
      self = .leave
    case .end:
      _ = try container.decode(Empty.self, forKey: name)
      self = .end
    case .profile: self = .profile(try container.decode(Profile.self, forKey: name))
    case .activity: self = .activity(try container.decode(ActivityChange.self, forKey: name))
    }
  }

  /// Writes the object with one member.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    switch self {
    case .join(let join): try container.encode(join, forKey: .join)
    case .wait(let profile): try container.encode(profile, forKey: .wait)
    case .leave: try container.encode(Empty(), forKey: .leave)
    case .end: try container.encode(Empty(), forKey: .end)
    case .profile(let profile): try container.encode(profile, forKey: .profile)
    case .activity(let change): try container.encode(change, forKey: .activity)
    }
  }
}
