/// What the participants of a session do together.
package struct Activity: Decodable, JSONWritable, Equatable, Sendable {
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

  /// Writes the object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// Writes the members into an object that has more.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("identifier", identifier)
    writer.member("title", title)
    writer.member("type", type)
    writer.member("payload", payload)
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
