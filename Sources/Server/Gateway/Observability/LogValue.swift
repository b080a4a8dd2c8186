package import Networking
internal import Primitives
package import Wire

/// The value of a field in a log line.
package enum LogValue: Equatable, Sendable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  case string(String)
  case integer(Int64)
  case boolean(Bool)
  /// An address of a client or a proxy; nil if unknown. The log's `AddressDetail` decides which part is logged.
  case address(IPAddress?)

  /// Creates a string value.
  package init(stringLiteral value: String) { self = .string(value) }

  /// Creates an integer value.
  package init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a Boolean value.
  package init(booleanLiteral value: Bool) { self = .boolean(value) }

  /// Returns the value of an integer of any width, clamped to `Int64`.
  package static func number(_ value: some BinaryInteger) -> LogValue { .integer(Int64(clamping: value)) }

  /// Returns the value of a duration in whole milliseconds.
  package static func milliseconds(_ duration: Duration) -> LogValue { .integer(duration.wholeMilliseconds) }

  /// Returns the first digits of a session's id. They distinguish sessions, but do not suffice to join a session.
  package static func session(_ id: SessionID) -> LogValue { .string(id.description) }
}
