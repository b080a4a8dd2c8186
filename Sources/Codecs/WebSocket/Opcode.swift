/// The kind of a frame (RFC 6455 §5.2, §11.8). Reserved values have no case: they fail the connection.
@usableFromInline
package enum Opcode: UInt8, Equatable, Sendable {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  /// True for close, ping and pong, which may be sent between the fragments of a message (§5.5).
  @inlinable
  package var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The kind of a message (RFC 6455 §5.6).
@usableFromInline
package enum MessageKind: Equatable, Sendable {
  /// Text, checked to be UTF-8.
  case text

  /// Any bytes.
  case binary

  /// The opcode of the message's first frame.
  @inlinable
  package var opcode: Opcode {
    switch self {
    case .text: .text
    case .binary: .binary
    }
  }
}
