/// What the participants of a session do together.
package struct Activity: Codable, Equatable, Sendable {
  /// The most Unicode scalars of a title or an identifier.
  package static let maximumTextScalars = 128
  /// The most bytes of a payload as JSON.
  package static let maximumPayloadLength = 16_384
  /// What a session is made for when nobody says.
  package static let standard = Activity(
    identifier: "drawtogether", title: "Draw Together", type: "generic")

  /// Which program understands it.
  package var identifier: String
  /// What people read.
  package var title: String
  /// A kind that systems know, such as `generic`.
  package var type: String
  /// What the program needs to know, opaque here.
  package var payload: JSONValue?

  /// An activity; `validate` says whether it may be used.
  package init(identifier: String, title: String, type: String, payload: JSONValue? = nil) {
    self.identifier = identifier
    self.title = title
    self.type = type
    self.payload = payload
  }

  /// Checks the lengths of the texts and of the payload.
  ///
  /// - Throws: `textLength` or `payloadTooLarge`, with the limit and what was found.
  package func validate() throws(WireError) {
    try Self.validate(identifier, member: "identifier")
    try Self.validate(title, member: "title")
    try Self.validate(type, member: "type")
    try Self.validate(payload: payload)
  }

  /// The activity with a change made to it; what the change leaves out stays.
  package func applying(_ change: ActivityChange) -> Activity {
    var changed = self
    if let title = change.title { changed.title = title }
    switch change.payload {
    case nil: break
    case .null: changed.payload = nil
    case let payload?: changed.payload = payload
    }
    return changed
  }

  fileprivate static func validate(_ text: String, member: String) throws(WireError) {
    let count = text.unicodeScalars.count
    guard 1...maximumTextScalars ~= count else {
      throw .textLength(member: member, limit: maximumTextScalars, actual: count)
    }
  }

  fileprivate static func validate(payload: JSONValue?) throws(WireError) {
    guard let payload else { return }
    let length = WireJSON.encode(payload).count
    guard length <= maximumPayloadLength else {
      throw .payloadTooLarge(limit: maximumPayloadLength, actual: length)
    }
  }
}

/// A change of the session's activity: `null` as payload takes it away, what is left out stays.
package struct ActivityChange: Codable, Equatable, Sendable {
  /// The new title.
  package var title: String?
  /// The new payload; `.null` for none.
  package var payload: JSONValue?

  enum CodingKeys: String, CodingKey {
    case title, payload
  }

  /// A change of either or both.
  package init(title: String? = nil, payload: JSONValue? = nil) {
    self.title = title
    self.payload = payload
  }

  /// Reads a change, telling a `null` payload from none.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decodeIfPresent(String.self, forKey: .title)
    if container.contains(.payload) {
      payload = try container.decode(JSONValue.self, forKey: .payload)
    }
  }

  /// Checks the lengths of the title and of the payload.
  ///
  /// - Throws: `textLength` or `payloadTooLarge`, with the limit and what was found.
  package func validate() throws(WireError) {
    if let title { try Activity.validate(title, member: "title") }
    try Activity.validate(payload: payload)
  }
}

/// The body of `POST /api/sessions`.
package struct ActivityRequest: Codable, Equatable, Sendable {
  /// What the session is for, valid.
  package var activity: Activity
  /// The session that this one succeeds.
  package var follows: SessionID?

  enum CodingKeys: String, CodingKey {
    case activity, follows
  }

  private enum ActivityKeys: String, CodingKey {
    case identifier, title, type, payload
  }

  /// A request for an activity.
  package init(activity: Activity = .standard, follows: SessionID? = nil) {
    self.activity = activity
    self.follows = follows
  }

  /// Reads a request; what it leaves out of an activity is that of the standard one.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    follows = try container.decodeIfPresent(SessionID.self, forKey: .follows)
    activity = .standard
    guard container.contains(.activity), !(try container.decodeNil(forKey: .activity)) else { return }
    let members = try container.nestedContainer(keyedBy: ActivityKeys.self, forKey: .activity)
    if let identifier = try members.decodeIfPresent(String.self, forKey: .identifier) {
      activity.identifier = identifier
    }
    if let title = try members.decodeIfPresent(String.self, forKey: .title) { activity.title = title }
    if let type = try members.decodeIfPresent(String.self, forKey: .type) { activity.type = type }
    activity.payload = try members.decodeIfPresent(JSONValue.self, forKey: .payload)
  }

  /// Reads the body of the request; an empty one asks for the standard activity.
  ///
  /// - Throws: when it is not such JSON, or the activity is too long.
  package static func decode(_ body: Span<UInt8>) throws(WireError) -> ActivityRequest {
    guard !body.isEmpty else { return ActivityRequest() }
    let request = try WireJSON.decode(ActivityRequest.self, from: body)
    try request.activity.validate()
    return request
  }
}
