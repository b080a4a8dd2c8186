internal import Glibc
internal import HTTP

/// A moment in UTC, as milliseconds since 1970, that prints itself in ISO 8601.
package struct LogTime: Equatable, Sendable, CustomStringConvertible {
  package let millisecondsSince1970: Int64

  /// The moment that many milliseconds after the beginning of 1970.
  package init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  /// The time of day, by the system's clock.
  package static var now: LogTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return LogTime(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// As in `2026-11-21T12:29:19.042Z`.
  package var description: String {
    let ofDay = (millisecondsSince1970 % 86_400_000 + 86_400_000) % 86_400_000
    let (year, month, day) = HTTPDate.calendar(days: Int((millisecondsSince1970 - ofDay) / 86_400_000))
    let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
    let time = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { Self.digits($0, 2) }
    return "\(date)T\(time.joined(separator: ":")).\(Self.digits(ofDay % 1000, 3))Z"
  }

  private static func digits(_ value: some BinaryInteger, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
