/// A violation of this protocol in a message from a peer. Each case names the broken rule, with the numbers.
package enum WireError: Error, Equatable, Sendable {
  /// Fewer than the four bytes of an entry's length are left.
  case entryLengthTruncated(have: Int)
  /// An entry is longer than the rest of its message.
  case entryExceedsMessage(length: Int, available: Int)
  /// An entry is shorter than its header.
  case entryTooShort(length: Int, needed: Int)
  /// A text message is not JSON, is nested deeper than `JSONValue.maximumDepth`, or has too many combining characters in a row.
  case notJSON
  /// A control message is too long.
  case controlTooLong(limit: Int, actual: Int)
  /// The body of a request is JSON, but not an object.
  case notRequestObject
  /// A control message is JSON, but not an object with exactly one known member.
  case unknownControl
  /// A member has an invalid value.
  case invalidMember(String)
  /// A text has too few or too many Unicode scalars.
  case textLength(member: String, limit: Int, actual: Int)
  /// The payload of an activity has too many bytes when it is encoded as JSON.
  case payloadTooLarge(limit: Int, actual: Int)

  /// The broken rule in words, for developers of clients.
  package var detail: String {
    switch self {
    case .entryLengthTruncated(let have):
      "The message ends within the length of an entry: only \(have) of its 4 bytes are left."
    case .entryExceedsMessage(let length, let available):
      "The length of an entry is \(length) bytes, but only \(available) are left in the message."
    case .entryTooShort(let length, let needed):
      "The length of an entry is \(length) bytes, but its header needs \(needed)."
    case .notJSON:
      "The text is not JSON in UTF-8, is nested more than \(JSONValue.maximumDepth) levels deep, "
        + "or has over \(JSONParser.maximumCombining) combining characters in a row."
    case .controlTooLong(let limit, let actual):
      "A control message may have at most \(limit) bytes; this message has \(actual)."
    case .notRequestObject:
      "The body must be a JSON object, such as {\"activity\": {\"title\": \"…\"}}, or empty."
    case .unknownControl:
      "A control message must be a JSON object with exactly one member: join, wait, leave, end, profile or activity."
    case .invalidMember(let name):
      "The member \"\(name)\" has an invalid value."
    case .textLength(let member, let limit, let actual):
      "The member \"\(member)\" must have 1 to \(limit) Unicode scalars; this member has \(actual)."
    case .payloadTooLarge(let limit, let actual):
      "An activity's payload may have at most \(limit) bytes of JSON; this payload has \(actual)."
    }
  }

  /// The refusal with which the gateway answers a message or a request body that violates this protocol.
  package var refusal: Refusal {
    var refusal = Refusal(.badRequest, detail)
    switch self {
    case .controlTooLong(let limit, let actual), .textLength(_, let limit, let actual),
      .payloadTooLarge(let limit, let actual):
      refusal.limit = UInt64(clamping: limit)
      refusal.actual = UInt64(clamping: actual)
    case .entryLengthTruncated, .entryExceedsMessage, .entryTooShort:
      refusal.code = .badEntry
    case .notJSON, .notRequestObject, .unknownControl, .invalidMember:
      break
    }
    return refusal
  }
}
