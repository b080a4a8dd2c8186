/// The types of the entries that the gateway itself sends: sender 0, flag bit 7, a JSON payload.
package enum SystemType {
  /// Who came, went, changed or waits.
  package static let participants = "participants"
  /// What the session is for now.
  package static let activity = "activity"
  /// A file of the session, or that it is gone.
  package static let attachment = "attachment"
  /// How far an upload is.
  package static let attachmentProgress = "attachmentProgress"
  /// The session that succeeds this one.
  package static let newSession = "newSession"
  /// Something about the session that people should know.
  package static let notice = "notice"
}

/// A system entry's payload: JSON.
package protocol SystemPayload: Decodable, JSONWritable, Equatable, Sendable {
  /// The type of the entry that holds it.
  static var type: String { get }
}

extension SystemPayload {
  /// The payload as JSON.
  package func encoded() -> [UInt8] {
    WireJSON.encode(self)
  }

  /// Reads a payload, for the client's role.
  ///
  /// - Throws: when it is not such JSON.
  package static func decode(_ bytes: Span<UInt8>) throws(WireError) -> Self {
    try WireJSON.decode(Self.self, from: bytes)
  }
}

/// Who came, went, changed or waits; as state at N, who is here. Empty members are left out.
package struct ParticipantsPayload: SystemPayload {
  package static let type = SystemType.participants

  /// Who is in the session from here on.
  package var joined: [Participant]
  /// Who no longer is, or no longer waits.
  package var left: [Departure]
  /// Who is shown in another way.
  package var changed: [Participant]
  /// Who waits from here on.
  package var waiting: [Participant]
  /// State at N only: everyone else who sent something in the snapshot.
  package var past: [Participant]

  enum CodingKeys: String, CodingKey {
    case joined, left, changed, waiting, past
  }

  /// Any of the five, empty unless given.
  package init(
    joined: [Participant] = [], left: [Departure] = [], changed: [Participant] = [],
    waiting: [Participant] = [], past: [Participant] = []
  ) {
    self.joined = joined
    self.left = left
    self.changed = changed
    self.waiting = waiting
    self.past = past
  }

  /// Reads it; what is missing is empty.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    joined = try container.decodeIfPresent([Participant].self, forKey: .joined) ?? []
    left = try container.decodeIfPresent([Departure].self, forKey: .left) ?? []
    changed = try container.decodeIfPresent([Participant].self, forKey: .changed) ?? []
    waiting = try container.decodeIfPresent([Participant].self, forKey: .waiting) ?? []
    past = try container.decodeIfPresent([Participant].self, forKey: .past) ?? []
  }

  /// Writes it without what is empty.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if !joined.isEmpty { writer.member("joined", joined) }
      writeOthers(to: &writer)
    }
  }

  /// The payload as JSON with `joined` as somebody wrote it before: objects with commas between.
  package func encoded(joined list: JSONWriter?) -> [UInt8] {
    guard let list else { return encoded() }
    var writer = JSONWriter()
    writer.object { writer in
      writer.name("joined")
      writer.array { $0.write(json: list.bytes) }
      writeOthers(to: &writer)
    }
    return writer.bytes
  }

  private func writeOthers(to writer: inout JSONWriter) {
    if !left.isEmpty { writer.member("left", left) }
    if !changed.isEmpty { writer.member("changed", changed) }
    if !waiting.isEmpty { writer.member("waiting", waiting) }
    if !past.isEmpty { writer.member("past", past) }
  }
}

/// What the session is for, and who said so.
package struct ActivityPayload: SystemPayload {
  package static let type = SystemType.activity

  /// The activity from here on.
  package var activity: Activity
  /// Who set it; 0 is whoever made the session.
  package var by: ParticipantNumber

  enum CodingKeys: String, CodingKey {
    case by
  }

  /// An activity set by somebody.
  package init(activity: Activity, by: ParticipantNumber) {
    self.activity = activity
    self.by = by
  }

  /// Reads the members beside each other: those of the activity, and `by`.
  package init(from decoder: any Decoder) throws {
    activity = try Activity(from: decoder)
    by = try decoder.container(keyedBy: CodingKeys.self).decode(ParticipantNumber.self, forKey: .by)
  }

  /// Writes the members beside each other.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      activity.writeMembers(to: &writer)
      writer.member("by", by)
    }
  }
}

/// The session that succeeds this one.
package struct NewSessionPayload: SystemPayload {
  package static let type = SystemType.newSession

  /// The successor's id.
  package var session: SessionID
  /// Who made it.
  package var by: ParticipantNumber

  /// A successor made by somebody.
  package init(session: SessionID, by: ParticipantNumber) {
    self.session = session
    self.by = by
  }

  /// Writes the object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("session", session.text)
      writer.member("by", by)
    }
  }
}

/// Something about the session that people should know: nearly full, not saved, saved again, damaged.
package struct NoticePayload: SystemPayload {
  package static let type = SystemType.notice

  /// What a notice may say.
  package enum Code: String, Decodable, Sendable {
    /// The session holds nearly as much as it may, or as much.
    case sessionQuota = "session-quota"
    /// What is drawn now is not saved.
    case storageFull = "storage-full"
    /// It is saved again.
    case saved
    /// Some of it was lost on the disk.
    case damaged
  }

  /// Which notice.
  package var code: Code
  /// The same in words.
  package var detail: String
  /// The limit it is about.
  package var limit: UInt64?
  /// What was found where `limit` holds.
  package var actual: UInt64?

  /// A notice, with the numbers that explain it.
  package init(_ code: Code, _ detail: String, limit: UInt64? = nil, actual: UInt64? = nil) {
    self.code = code
    self.detail = detail
    self.limit = limit
    self.actual = actual
  }

  /// Writes the object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("code", code.rawValue)
      writer.member("detail", detail)
      writer.member("limit", limit)
      writer.member("actual", actual)
    }
  }
}
