internal import Glibc

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
    let day = Self.floorDivide(millisecondsSince1970, by: 86_400_000)
    let ofDay = millisecondsSince1970 - day * 86_400_000
    let (year, month, dayOfMonth) = Self.civilDate(daysSince1970: day)
    let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(dayOfMonth, 2))"
    let time = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { Self.digits($0, 2) }
    return "\(date)T\(time.joined(separator: ":")).\(Self.digits(ofDay % 1000, 3))Z"
  }

  /// Year, month and day of the Gregorian calendar, by counting in eras of 400 years that begin in March.
  private static func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468  // from 1 March of the year 0
    let era = floorDivide(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func floorDivide(_ value: Int64, by divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
  }

  private static func digits(_ value: Int64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
