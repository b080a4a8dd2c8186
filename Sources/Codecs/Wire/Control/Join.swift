/// What somebody brings who joins.
package struct Join: JSONWritable, Equatable, Sendable {
  /// How to be shown, as sent: not sanitised.
  package var profile: Profile
  /// What is known from before.
  package var resume: Resume?

  /// A join, with a resume or for the first time.
  package init(profile: Profile = Profile(), resume: Resume? = nil) {
    self.profile = profile
    self.resume = resume
  }

  /// Reads the members beside each other: those of the profile, and `resume`.
  ///
  /// - Throws: `wrongMember` when one is of another kind.
  init(_ members: [String: JSONValue]) throws(WireError) {
    profile = try Profile(members)
    resume = if let members = try members.object("resume") { try Resume(members) } else { nil }
  }

  /// Writes the members beside each other.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      profile.writeMembers(to: &writer)
      writer.member("resume", resume)
    }
  }
}

/// What somebody says who was here before.
package struct Resume: JSONWritable, Equatable, Sendable {
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
  ///
  /// - Throws: `wrongMember` when one is of another kind, or a number out of its range.
  init(_ members: [String: JSONValue]) throws(WireError) {
    token = try members.text("token").flatMap { Token($0) }
    epoch = try members.text("epoch")
    after = try members.integer("after")
    let next = try members.integer("next", as: UInt32.self)
    self.next = next == 0 ? nil : next
  }

  /// Writes the object with what there is.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("token", token?.text)
      writer.member("epoch", epoch)
      writer.member("after", after)
      writer.member("next", next)
    }
  }
}
