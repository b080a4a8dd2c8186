package import Networking
internal import Primitives
package import Wire

/// What a field of a log line holds.
package enum LogValue: Equatable, Sendable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  case string(String)
  case integer(Int64)
  case boolean(Bool)
  /// An address of a client or a proxy, shown as the log's `AddressDetail` says; `nil` where none is known.
  case address(IPAddress?)

  /// A text.
  package init(stringLiteral value: String) { self = .string(value) }

  /// A number.
  package init(integerLiteral value: Int64) { self = .integer(value) }

  /// A yes or no.
  package init(booleanLiteral value: Bool) { self = .boolean(value) }

  /// A number of any width; one that does not fit is cut to the nearest that does.
  package static func number(_ value: some BinaryInteger) -> LogValue { .integer(Int64(clamping: value)) }

  /// Whole milliseconds of a duration.
  package static func milliseconds(_ duration: Duration) -> LogValue { .integer(duration.wholeMilliseconds) }

  /// The beginning of a session's id: enough to tell sessions apart, too little to enter one.
  package static func session(_ id: SessionID) -> LogValue { .string(id.description) }
}
