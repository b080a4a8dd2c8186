internal import Primitives

/// A date of HTTP: whole seconds, in UTC (RFC 9110 §5.6.7).
package struct HTTPDate: Equatable, Comparable, Hashable, Sendable {
  /// The seconds since 1970-01-01T00:00:00Z, without leap seconds.
  package let secondsSinceEpoch: Int

  package init(secondsSinceEpoch: Int) {
    self.secondsSinceEpoch = secondsSinceEpoch
  }

  package static func < (one: HTTPDate, other: HTTPDate) -> Bool {
    one.secondsSinceEpoch < other.secondsSinceEpoch
  }

  static let dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  static let longDayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  static let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the weekday; 0 for Monday.
  static func weekday(days: Int) -> Int {
    ((days + 3) % 7 + 7) % 7
  }
}

extension HTTPDate: CustomStringConvertible {
  /// The preferred form, IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
  package var description: String {
    let time = ((secondsSinceEpoch % 86_400) + 86_400) % 86_400
    let days = (secondsSinceEpoch - time) / 86_400
    let (year, month, day) = GregorianCalendar.date(days: days)
    let clock =
      "\(Self.twoDigits(time / 3_600)):\(Self.twoDigits(time / 60 % 60)):\(Self.twoDigits(time % 60))"
    let century = Self.twoDigits(year / 100) + Self.twoDigits(year % 100)
    let date = "\(Self.twoDigits(day)) \(Self.monthNames[month - 1]) \(century)"
    return "\(Self.dayNames[Self.weekday(days: days)]), \(date) \(clock) GMT"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
