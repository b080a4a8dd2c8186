import FoundationEssentials
import Wire

/// An activity's own properties as the payload of a session, and back.
enum ActivityPayloadCoding {
  /// The payload of an activity; nil when it has no properties.
  ///
  /// - Throws: what its encoding throws.
  static func encode(_ activity: some Encodable) throws -> JSONValue? {
    let payload = try JSONParser.parse([UInt8](JSONEncoder().encode(activity)).span)
    return payload == .object([:]) ? nil : payload
  }

  /// The activity of a payload; of `{}` when there is none.
  ///
  /// - Throws: what its decoding throws.
  static func decode<Activity: Decodable>(_ type: Activity.Type, from payload: JSONValue?) throws -> Activity
  {
    try JSONDecoder().decode(type, from: Data(WireJSON.encode(payload ?? .object([:]))))
  }
}
