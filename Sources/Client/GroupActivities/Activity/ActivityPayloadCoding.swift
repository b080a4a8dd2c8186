import FoundationEssentials
import Wire

/// Conversion between an activity's properties and a session's payload.
enum ActivityPayloadCoding {
  /// Returns the payload of an activity; nil if the activity has no properties.
  ///
  /// - Throws: the activity's encoding error.
  static func encode(_ activity: some Encodable) throws -> JSONValue? {
    let payload = try JSONParser.parse([UInt8](JSONEncoder().encode(activity)).span)
    return payload == .object([:]) ? nil : payload
  }

  /// Returns the activity of a payload. A nil payload is decoded as `{}`.
  ///
  /// - Throws: the activity's decoding error.
  static func decode<Activity: Decodable>(_ type: Activity.Type, from payload: JSONValue?) throws -> Activity
  {
    try JSONDecoder().decode(type, from: Data(WireJSON.encode(payload ?? .object([:]))))
  }
}
