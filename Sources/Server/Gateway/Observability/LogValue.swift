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
  /// An address of a client or a proxy, logged as far as the log's `AddressDetail` allows; nil if unknown.
  case address(IPAddress?)

  /// Creates a text.
  package init(stringLiteral value: String) { self = .string(value) }

  /// Creates a number.
  package init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a Boolean.
  package init(booleanLiteral value: Bool) { self = .boolean(value) }

  /// Returns a number of any width, clamped to 64 bits.
  package static func number(_ value: some BinaryInteger) -> LogValue { .integer(Int64(clamping: value)) }

  /// Returns the whole milliseconds of a duration.
  package static func milliseconds(_ duration: Duration) -> LogValue { .integer(duration.wholeMilliseconds) }

  /// Returns the beginning of a session's id: enough to distinguish sessions, too little to join one.
  package static func session(_ id: SessionID) -> LogValue { .string(id.description) }
}
