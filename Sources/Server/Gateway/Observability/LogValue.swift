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

  /// Creates a text.
  package init(stringLiteral value: String) { self = .string(value) }

  /// Creates a number.
  package init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a Boolean.
  package init(booleanLiteral value: Bool) { self = .boolean(value) }

  /// Returns a number of any width, clamped to 64 bits.
  package static func number(_ value: some BinaryInteger) -> LogValue { .integer(Int64(clamping: value)) }

  /// Returns a duration in whole milliseconds.
  package static func milliseconds(_ duration: Duration) -> LogValue { .integer(duration.wholeMilliseconds) }

  /// Returns the beginning of a session's id. It is long enough to distinguish sessions, but too short to join one.
  package static func session(_ id: SessionID) -> LogValue { .string(id.description) }
}
