/// The types of the gateway's own entries: sender 0, flag bit 7, a JSON payload.
package enum SystemType {
  /// Changes of the participants.
  package static let participants = "participants"
  /// The activity of the session.
  package static let activity = "activity"
  /// An attachment, or its removal.
  package static let attachment = "attachment"
  /// The progress of an upload.
  package static let attachmentProgress = "attachmentProgress"
  /// The successor of the session.
  package static let newSession = "newSession"
  /// A message about the session for human readers.
  package static let notice = "notice"
  /// The sequences and the time of the entries that follow. It appears only in answers to history requests.
  package static let history = "history"
}

/// The payload of a system entry: JSON.
package protocol SystemPayload: Decodable, JSONWritable, Equatable, Sendable {
  /// The type of the entry with this payload.
  static var type: String { get }
}

extension SystemPayload {
  /// Returns the payload as JSON.
  package func encoded() -> [UInt8] {
    WireJSON.encode(self)
  }

  /// Parses the payload of a received or stored entry.
  ///
  /// - Throws: `WireError` if the bytes are not the JSON of this payload.
  package static func decode(_ bytes: Span<UInt8>) throws(WireError) -> Self {
    try WireJSON.decode(Self.self, from: bytes)
  }
}

/// Changes of the participants. At the beginning of a snapshot, `joined` lists the current participants. Empty members are
/// omitted.
package struct ParticipantsPayload: SystemPayload {
  package static let type = SystemType.participants

  /// The participants who joined.
  package var joined: [Participant]
  /// The participants who left, or stopped waiting.
  package var left: [Departure]
  /// The participants whose name or color changed.
  package var changed: [Participant]
  /// The participants who began to wait.
  package var waiting: [Participant]
  /// The participants who are gone, but sent an entry of the snapshot or added an attachment. Empty except at the beginning of a
  /// snapshot.
  package var past: [Participant]

  enum CodingKeys: String, CodingKey {
    case joined, left, changed, waiting, past
  }

  /// Creates a payload; each list is empty by default.
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

  /// Decodes the object; a missing member is an empty list.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    joined = try container.decodeIfPresent([Participant].self, forKey: .joined) ?? []
    left = try container.decodeIfPresent([Departure].self, forKey: .left) ?? []
    changed = try container.decodeIfPresent([Participant].self, forKey: .changed) ?? []
    waiting = try container.decodeIfPresent([Participant].self, forKey: .waiting) ?? []
    past = try container.decodeIfPresent([Participant].self, forKey: .past) ?? []
  }

  /// Writes the object without empty lists.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if !joined.isEmpty { writer.member("joined", joined) }
      writeOthers(to: &writer)
    }
  }

  /// Returns the payload as JSON, with a `joined` list that is already JSON: objects separated by commas.
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

/// The activity of the session, and the participant who set it.
package struct ActivityPayload: SystemPayload {
  package static let type = SystemType.activity

  /// The new activity.
  package var activity: Activity
  /// The participant who set the activity; 0 for the activity with which the session was created.
  package var by: ParticipantNumber

  enum CodingKeys: String, CodingKey {
    case by
  }

  /// Creates a payload.
  package init(activity: Activity, by: ParticipantNumber) {
    self.activity = activity
    self.by = by
  }

  /// Decodes one object that has the members of the activity and the member `by`.
  package init(from decoder: any Decoder) throws {
    activity = try Activity(from: decoder)
    by = try decoder.container(keyedBy: CodingKeys.self).decode(ParticipantNumber.self, forKey: .by)
  }

  /// Writes the members into one object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      activity.writeMembers(to: &writer)
      writer.member("by", by)
    }
  }
}

/// The successor of the session, and the participant that created the successor.
package struct NewSessionPayload: SystemPayload {
  package static let type = SystemType.newSession

  /// The id of the succeeding session.
  package var session: SessionID
  /// The participant who created the succeeding session.
  package var by: ParticipantNumber

  /// Creates a payload.
  package init(session: SessionID, by: ParticipantNumber) {
    self.session = session
    self.by = by
  }

  /// Writes the payload as a JSON object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("session", session.text)
      writer.member("by", by)
    }
  }
}

/// A message about the session for human readers: the session is nearly full, not saved, saved again, or damaged.
package struct NoticePayload: SystemPayload {
  package static let type = SystemType.notice

  /// The kind of a notice.
  package enum Code: String, Decodable, Sendable {
    /// The session is full, or nearly full.
    case sessionQuota = "session-quota"
    /// New entries are not saved.
    case storageFull = "storage-full"
    /// Entries are saved again.
    case saved
    /// A part of the session was lost on the disk.
    case damaged
  }

  /// The kind of the notice.
  package var code: Code
  /// The notice in words.
  package var detail: String
  /// The limit that the notice is about.
  package var limit: UInt64?
  /// The actual value, to compare with `limit`.
  package var actual: UInt64?

  /// Creates a notice, with the numbers that explain it.
  package init(_ code: Code, _ detail: String, limit: UInt64? = nil, actual: UInt64? = nil) {
    self.code = code
    self.detail = detail
    self.limit = limit
    self.actual = actual
  }

  /// Writes the payload as a JSON object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("code", code.rawValue)
      writer.member("detail", detail)
      writer.member("limit", limit)
      writer.member("actual", actual)
    }
  }
}
