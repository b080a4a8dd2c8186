/// The members of a `join` message.
package struct Join: JSONWritable, Equatable, Sendable {
  /// The name and color as sent, not sanitised.
  package var profile: Profile
  /// The state of an earlier connection, to resume it.
  package var resume: Resume?

  /// Creates a `join` message. Without `resume`, it requests a new participant.
  package init(profile: Profile = Profile(), resume: Resume? = nil) {
    self.profile = profile
    self.resume = resume
  }

  /// Parses the members of one object: those of the profile, and `resume`.
  ///
  /// - Throws: `invalidMember` if a member has the wrong type.
  init(_ members: [String: JSONValue]) throws(WireError) {
    profile = try Profile(members)
    resume = if let members = try members.object("resume") { try Resume(members) } else { nil }
  }

  /// Writes the profile and the resume state as members of one JSON object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      profile.writeMembers(to: &writer)
      writer.member("resume", resume)
    }
  }
}

/// The state that a client has kept from an earlier connection, with which it resumes as the same participant.
package struct Resume: JSONWritable, Equatable, Sendable {
  /// The participant's token; `nil` if it is missing or malformed. Without a token, the gateway creates a new participant.
  package var token: Token?
  /// The epoch to which the sequence `after` belongs.
  package var epoch: String?
  /// The sequence up to which the client has applied all entries.
  package var after: UInt64?
  /// The lowest client sequence that is not acknowledged. If all are acknowledged, the client sequence of the next entry. Never
  /// 0.
  package var next: UInt32?

  /// Creates the resume state of a client. Every property may be nil.
  package init(
    token: Token? = nil, epoch: String? = nil, after: UInt64? = nil, next: UInt32? = nil
  ) {
    self.token = token
    self.epoch = epoch
    self.after = after
    self.next = next
  }

  /// Parses the member `resume`. A malformed token and a `next` of 0 are treated as missing.
  ///
  /// - Throws: `invalidMember` if a member has the wrong type, or a number is out of range.
  init(_ members: [String: JSONValue]) throws(WireError) {
    token = try members.text("token").flatMap { Token($0) }
    epoch = try members.text("epoch")
    after = try members.integer("after")
    let next = try members.integer("next", as: UInt32.self)
    self.next = next == 0 ? nil : next
  }

  /// Writes the object. A property that is nil is left out.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("token", token?.text)
      writer.member("epoch", epoch)
      writer.member("after", after)
      writer.member("next", next)
    }
  }
}
