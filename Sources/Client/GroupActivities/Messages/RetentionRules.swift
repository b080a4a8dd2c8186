import FoundationEssentials
import Platform
import Wire

/// The rules that decide how the session retains the messages of each type for participants that join later.
final class RetentionRules: Sendable {
  /// The rules that all sessions of this process share.
  static let shared = RetentionRules()

  struct Rule: Sendable {
    let retention: GroupActivitiesGateway.Retention
    let key: (any AnyMessageKey)?
  }
  private let rules = Guarded<[ObjectIdentifier: Rule]>([:])

  func set(_ rule: Rule, for type: any Any.Type) {
    rules.withLock { $0[ObjectIdentifier(type)] = rule }
  }

  /// Returns the retention and the key of a message; nil if the message is not retained.
  func placement<Message>(
    of message: Message, _ type: String, _ payload: [UInt8]
  ) -> (retention: Retention, key: EntryKey)? {
    let rule = rules.withLock { $0[ObjectIdentifier(Message.self)] }
    switch rule?.retention {
    case GroupActivitiesGateway.Retention.none?: return nil
    case nil: return Self.id(in: payload).map { (.append, $0) }
    case .append?:
      return (rule?.key?.key(of: message) ?? Self.id(in: payload)).map { (.append, $0) }
    case .replace?:
      return (.replace, rule?.key?.key(of: message) ?? Self.key(ofType: type))
    }
  }

  /// Returns the message's `id` if it is a UUID.
  private static func id(in payload: [UInt8]) -> EntryKey? {
    // A payload that is nested too deeply to be parsed counts as a payload without `id`: it is sent but not retained.
    guard payload.contains(text: "\"id\""), let range = try? JSONParser.range(of: "id", in: payload.span),
      range.count == 38, payload[range.lowerBound] == UInt8(ascii: "\"")
    else { return nil }
    let text = String(decoding: payload[range.lowerBound + 1..<range.upperBound - 1], as: UTF8.self)
    return UUID(uuidString: text).map { EntryKey($0) }
  }

  /// Returns the key that all messages of a type share, so that the session retains only the newest of them.
  private static func key(ofType type: String) -> EntryKey {
    EntryKey(SHA256Digest(of: Array("message type \(type)".utf8).span).bytes.span, at: 0)
  }
}

/// A key path from a message to its key, with the message's type erased.
protocol AnyMessageKey: Sendable {
  func key(of message: Any) -> EntryKey?
}

/// The property of a message that is its key.
struct MessageKeyPath<Message>: AnyMessageKey {
  let path: any KeyPath<Message, UUID> & Sendable

  func key(of message: Any) -> EntryKey? {
    (message as? Message).map { EntryKey($0[keyPath: path]) }
  }
}
