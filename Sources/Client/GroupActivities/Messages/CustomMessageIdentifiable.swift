import FoundationEssentials

/// A message type with its own name on the wire (Apple's protocol). Other programs and web pages must use the same name.
public protocol CustomMessageIdentifiable {
  /// The name, 1 to 255 bytes.
  static var messageIdentifier: String { get }
}

/// The names of message types on the wire.
enum MessageType {
  /// The type of messages sent as `Data`.
  static let data = "Data"
  /// The type name of entries that remove the messages under a key. Receivers recognise such entries by their flags, not by this
  /// name.
  static let removal = "Forget"

  /// Returns the type's `messageIdentifier`, or else its name without the enclosing types: `B` for `A.B`.
  static func name(of type: any Any.Type) -> String {
    (type as? any CustomMessageIdentifiable.Type)?.messageIdentifier ?? String(describing: type)
  }

  /// Returns the name of a message's type.
  static func name<Message>(of message: Message) -> String {
    name(of: Message.self)
  }
}
