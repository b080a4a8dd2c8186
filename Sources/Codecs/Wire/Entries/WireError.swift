/// Bytes of a peer that are no message of this protocol. Each case names the rule, with the numbers.
package enum WireError: Error, Equatable, Sendable {
  /// Fewer bytes are left than the four that hold an entry's length.
  case entryLengthCutShort(have: Int)
  /// An entry's length reaches beyond its message.
  case entryRunsOver(length: Int, available: Int)
  /// An entry's length is below what its own header needs.
  case entryTooShort(length: Int, needed: Int)
  /// A text message that is no JSON, nested deeper than `JSONValue.maximumDepth`, or with a text that no person writes.
  case notJSON
  /// A text message longer than a control message may be.
  case controlTooLong(limit: Int, actual: Int)
  /// JSON, but no object, as the body of a request.
  case notRequest
  /// JSON, but no object with exactly one member that names a control message.
  case unknownControl
  /// A member has a value that it cannot have.
  case wrongMember(String)
  /// A text has fewer or more Unicode scalars than it may.
  case textLength(member: String, limit: Int, actual: Int)
  /// An activity's payload is longer than it may be, in bytes of its JSON.
  case payloadTooLarge(limit: Int, actual: Int)

  /// What was wrong, in words for the person who writes the client.
  package var detail: String {
    switch self {
    case .entryLengthCutShort(let have):
      "The message ends within an entry's length: \(have) of 4 bytes."
    case .entryRunsOver(let length, let available):
      "An entry says it has \(length) bytes, but the message holds only \(available) more."
    case .entryTooShort(let length, let needed):
      "An entry says it has \(length) bytes, but its header alone takes \(needed)."
    case .notJSON:
      "This is not JSON in UTF-8, or nested more than \(JSONValue.maximumDepth) deep, or has over \(JSONParser.maximumCombining) combining characters in a row."
    case .controlTooLong(let limit, let actual):
      "A control message has at most \(limit) bytes; this one has \(actual)."
    case .notRequest:
      "The body is a JSON object, such as {\"activity\": {\"title\": \"…\"}}, or empty."
    case .unknownControl:
      "A control message is a JSON object with exactly one member: join, wait, leave, end, profile or activity."
    case .wrongMember(let name):
      "The member \"\(name)\" has a value that it cannot have."
    case .textLength(let member, let limit, let actual):
      "The member \"\(member)\" has 1 to \(limit) Unicode scalars; this one has \(actual)."
    case .payloadTooLarge(let limit, let actual):
      "An activity's payload has at most \(limit) bytes as JSON; this one has \(actual)."
    }
  }

  /// The refusal a client gets for a control message or a body.
  package var refusal: Refusal {
    var refusal = Refusal(.badRequest, detail)
    switch self {
    case .controlTooLong(let limit, let actual), .textLength(_, let limit, let actual),
      .payloadTooLarge(let limit, let actual):
      refusal.limit = UInt64(clamping: limit)
      refusal.actual = UInt64(clamping: actual)
    case .entryLengthCutShort, .entryRunsOver, .entryTooShort:
      refusal.code = .badEntry
    case .notJSON, .notRequest, .unknownControl, .wrongMember:
      break
    }
    return refusal
  }
}
