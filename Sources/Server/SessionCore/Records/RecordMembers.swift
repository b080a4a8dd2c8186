internal import FoundationEssentials
internal import Wire
internal import Primitives

/// The members of a record whose body is a JSON object, with checks of their values.
struct RecordMembers {
  private let kind: SessionRecord.Kind
  private let members: [String: JSONValue]

  init(_ kind: SessionRecord.Kind, _ body: Span<UInt8>) throws(RecordError) {
    self.kind = kind
    guard case .object(let members)? = Self.value(body) else { throw RecordError(kind, .notJSON) }
    self.members = members
  }

  private static func value(_ body: Span<UInt8>) -> JSONValue? {
    do throws(WireError) {
      // The text limits of clients do not apply: a stored record must be readable in any case.
      return try JSONParser.parse(body, combiningLimit: .max)
    } catch {
      return nil
    }
  }

  /// Returns the value of a required member, converted by `read`.
  func required<Value>(
    _ name: String, _ read: ([String: JSONValue], String) throws(WireError) -> Value?
  ) throws(RecordError) -> Value {
    guard let value = try optional(name, read) else { throw wrong(name) }
    return value
  }

  /// Returns the value of a member that may be missing or `null`, converted by `read`.
  func optional<Value>(
    _ name: String, _ read: ([String: JSONValue], String) throws(WireError) -> Value?
  ) throws(RecordError) -> Value? {
    do throws(WireError) {
      return try read(members, name)
    } catch {
      throw wrong(name)
    }
  }

  func text(_ name: String) throws(RecordError) -> String {
    try required(name) { members, name throws(WireError) in try members.text(name) }
  }

  func optionalText(_ name: String) throws(RecordError) -> String? {
    try optional(name) { members, name throws(WireError) in try members.text(name) }
  }

  func integer<Integer: FixedWidthInteger>(
    _ name: String, as type: Integer.Type = Integer.self
  ) throws(RecordError) -> Integer {
    try required(name) { members, name throws(WireError) in try members.integer(name, as: Integer.self) }
  }

  func optionalInteger<Integer: FixedWidthInteger>(
    _ name: String, as type: Integer.Type = Integer.self
  ) throws(RecordError) -> Integer? {
    try optional(name) { members, name throws(WireError) in try members.integer(name, as: Integer.self) }
  }

  func flag(_ name: String) throws(RecordError) -> Bool {
    guard case .bool(let flag)? = members[name] else { throw wrong(name) }
    return flag
  }

  func uuid(_ name: String) throws(RecordError) -> UUID {
    guard let uuid = UUID(uuidString: try text(name)) else { throw wrong(name) }
    return uuid
  }

  func date(_ name: String) throws(RecordError) -> Date {
    guard let date = try optionalDate(name) else { throw wrong(name) }
    return date
  }

  func optionalDate(_ name: String) throws(RecordError) -> Date? {
    guard let text = try optionalText(name) else { return nil }
    guard let date = Date(iso8601: text) else { throw wrong(name) }
    return date
  }

  /// Returns any JSON value; nil for `null` and for a missing member.
  func value(_ name: String) -> JSONValue? {
    members[name] == .null ? nil : members[name]
  }

  /// Returns the members of a nested object.
  func object(_ name: String) throws(RecordError) -> RecordMembers {
    RecordMembers(
      kind, try required(name) { members, name throws(WireError) in try members.object(name) })
  }

  /// Returns the members of each object in an array; nil for a missing array.
  func objects(_ name: String) throws(RecordError) -> [RecordMembers]? {
    guard let value = value(name) else { return nil }
    guard case .array(let values) = value else { throw wrong(name) }
    var objects: [RecordMembers] = []
    for value in values {
      guard case .object(let members) = value else { throw wrong(name) }
      objects.append(RecordMembers(kind, members))
    }
    return objects
  }

  private init(_ kind: SessionRecord.Kind, _ members: [String: JSONValue]) {
    self.kind = kind
    self.members = members
  }

  func wrong(_ name: String) -> RecordError { RecordError(kind, .invalidMember(name)) }
}

extension Date {
  /// Parses the format of `formatted(.iso8601)`: whole seconds in UTC.
  init?(iso8601 text: String) {
    do {
      self = try Date(text, strategy: .iso8601)
    } catch {
      return nil
    }
  }
}

extension SessionRecord {
  /// Creates a record whose body is a JSON object.
  init(_ kind: Kind, _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object(write)
    self.init(kind: kind, body: writer.bytes)
  }
}

extension JSONWriter {
  mutating func member(_ name: String, _ date: Date?) {
    member(name, date?.formatted(.iso8601))
  }
}
