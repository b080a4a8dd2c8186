/// A change of the session's activity: `null` as payload takes it away, what is left out stays.
package struct ActivityChange: JSONWritable, Equatable, Sendable {
  /// The new title.
  package var title: String?
  /// The new payload; `.null` for none.
  package var payload: JSONValue?

  /// A change of either or both.
  package init(title: String? = nil, payload: JSONValue? = nil) {
    self.title = title
    self.payload = payload
  }

  /// Reads a change, telling a `null` payload from none.
  ///
  /// - Throws: `wrongMember`, or what is too long.
  init(_ members: [String: JSONValue]) throws(WireError) {
    title = try members.text("title")
    payload = members["payload"]
    if let title { try Activity.validate(title, member: "title") }
    try Activity.validate(payload: payload)
  }

  /// Writes the object with what there is.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("title", title)
      writer.member("payload", payload)
    }
  }
}

/// The body of `POST /api/sessions`.
package struct ActivityRequest: JSONWritable, Equatable, Sendable {
  /// What the session is for, valid.
  package var activity: Activity
  /// The session that this one succeeds.
  package var follows: SessionID?

  /// A request for an activity.
  package init(activity: Activity = .standard, follows: SessionID? = nil) {
    self.activity = activity
    self.follows = follows
  }

  /// Reads the body of the request; an empty one asks for the standard activity, and what is left out of an
  /// activity is that of the standard one.
  ///
  /// - Throws: when it is not such JSON, or the activity is too long.
  package static func decode(_ body: Span<UInt8>) throws(WireError) -> ActivityRequest {
    guard !body.isEmpty else { return ActivityRequest() }
    guard case .object(let members) = try JSONParser.parse(body) else { throw .notRequest }
    var request = ActivityRequest()
    if let text = try members.text("follows") {
      guard let session = SessionID(text) else { throw .wrongMember("follows") }
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
  /// Reads an activity whose missing members are those of the standard one.
  fileprivate init(_ members: [String: JSONValue]) throws(WireError) {
    self = .standard
    if let identifier = try members.text("identifier") { self.identifier = identifier }
    if let title = try members.text("title") { self.title = title }
    if let type = try members.text("type") { self.type = type }
    if let payload = members["payload"], payload != .null { self.payload = payload }
    try validate()
  }
}
