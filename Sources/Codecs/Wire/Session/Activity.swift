/// The shared activity of a session's participants.
package struct Activity: Decodable, JSONWritable, Equatable, Sendable {
  /// The maximum number of Unicode scalars of a title or an identifier.
  package static let maximumTextScalars = 128
  /// The maximum number of bytes of a payload as JSON.
  package static let maximumPayloadLength = 16_384
  /// The activity of a session that is created without an activity.
  package static let standard = Activity(
    identifier: "drawtogether", title: "Draw Together", type: "generic")

  /// The identifier of the program that understands the activity.
  package var identifier: String
  /// The title that programs show to participants.
  package var title: String
  /// The kind of the activity, such as `generic` (GroupActivities).
  package var type: String
  /// The data of the program, opaque to the gateway.
  package var payload: JSONValue?

  /// Creates an activity; `validate` checks it.
  package init(identifier: String, title: String, type: String, payload: JSONValue? = nil) {
    self.identifier = identifier
    self.title = title
    self.type = type
    self.payload = payload
  }

  /// Writes the activity as a JSON object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// Writes the properties of the activity as members of a JSON object, which may have other members too.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("identifier", identifier)
    writer.member("title", title)
    writer.member("type", type)
    writer.member("payload", payload)
  }

  /// Checks the lengths of the texts and of the payload.
  ///
  /// - Throws: `textLength` or `payloadTooLarge`, with the limit and the actual length.
  package func validate() throws(WireError) {
    try Self.validate(identifier, member: "identifier")
    try Self.validate(title, member: "title")
    try Self.validate(type, member: "type")
    try Self.validate(payload: payload)
  }

  /// Returns a copy of the activity with a change applied. A property that the change does not contain keeps its value.
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

  static func validate(_ text: String, member: String) throws(WireError) {
    let count = text.unicodeScalars.count
    guard 1...maximumTextScalars ~= count else {
      throw .textLength(member: member, limit: maximumTextScalars, actual: count)
    }
  }

  static func validate(payload: JSONValue?) throws(WireError) {
    guard let payload else { return }
    let length = WireJSON.encode(payload).count
    guard length <= maximumPayloadLength else {
      throw .payloadTooLarge(limit: maximumPayloadLength, actual: length)
    }
  }
}
