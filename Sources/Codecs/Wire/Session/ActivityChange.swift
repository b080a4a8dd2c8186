/// A change of the session's activity. The payload `null` removes the payload; an omitted member stays unchanged.
package struct ActivityChange: JSONWritable, Equatable, Sendable {
  /// The new title.
  package var title: String?
  /// The new payload; `.null` to remove it.
  package var payload: JSONValue?

  /// Creates a change of the title, the payload, or both.
  package init(title: String? = nil, payload: JSONValue? = nil) {
    self.title = title
    self.payload = payload
  }

  /// Parses a change. Distinguishes a `null` payload from an omitted one.
  ///
  /// - Throws: `invalidMember`, or the error of a text or payload that is too long.
  init(_ members: [String: JSONValue]) throws(WireError) {
    title = try members.text("title")
    payload = members["payload"]
    if let title { try Activity.validate(title, member: "title") }
    try Activity.validate(payload: payload)
  }

  /// Writes the object; unchanged parts have no member.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("title", title)
      writer.member("payload", payload)
    }
  }
}

/// The body of `POST /api/sessions`.
package struct ActivityRequest: JSONWritable, Equatable, Sendable {
  /// The activity of the new session. A decoded activity is always valid.
  package var activity: Activity
  /// The session that the new session succeeds; nil if there is none.
  package var follows: SessionID?

  /// Creates a request.
  package init(activity: Activity = .standard, follows: SessionID? = nil) {
    self.activity = activity
    self.follows = follows
  }

  /// Parses the body of a request that creates a session. An empty body requests the standard activity. An omitted member has the
  /// value of the standard activity.
  ///
  /// - Throws: `WireError` if the body is not a JSON object, if a member is invalid, or if the activity is too long.
  package static func decode(_ body: Span<UInt8>) throws(WireError) -> ActivityRequest {
    guard !body.isEmpty else { return ActivityRequest() }
    guard case .object(let members) = try JSONParser.parse(body) else { throw .notRequestObject }
    var request = ActivityRequest()
    if let text = try members.text("follows") {
      guard let session = SessionID(text) else { throw .invalidMember("follows") }
      request.follows = session
    }
    if let activity = try members.object("activity") { request.activity = try Activity(activity) }
    return request
  }

  /// Writes the body as a client sends it.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("activity", activity)
      writer.member("follows", follows?.text)
    }
  }
}

extension Activity {
  /// Parses an activity. An omitted member has the value of the standard activity.
  fileprivate init(_ members: [String: JSONValue]) throws(WireError) {
    self = .standard
    if let identifier = try members.text("identifier") { self.identifier = identifier }
    if let title = try members.text("title") { self.title = title }
    if let type = try members.text("type") { self.type = type }
    if let payload = members["payload"], payload != .null { self.payload = payload }
    try validate()
  }
}
