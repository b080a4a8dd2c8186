import FoundationEssentials

/// A message type that says its own name on the wire (Apple's protocol): what other programs and pages know it by.
public protocol CustomMessageIdentifiable {
  /// The name, of 1 to 255 bytes.
  static var messageIdentifier: String { get }
}

/// What message types are called on the wire.
enum MessageType {
  /// Bytes sent as they are.
  static let data = "Data"
  /// What has a key forgotten; nobody reads it.
  static let removal = "Forget"

  /// A type's own name for itself, else that of the type without those around it: `B` for `A.B`.
  static func name(of type: any Any.Type) -> String {
    (type as? any CustomMessageIdentifiable.Type)?.messageIdentifier ?? String(describing: type)
  }

  /// The name of a message's type.
  static func name<Message>(of message: Message) -> String {
    name(of: Message.self)
  }
}
