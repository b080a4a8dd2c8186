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

  /// Returns the number of days from 1970-01-01 to a day of the Gregorian calendar. In the computation, a year begins in
  /// March, so that a leap day is the last day of a year.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns the year, month (1–12) and day (1–31) that is `days` days after 1970-01-01.
  package static func calendar(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

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
    let (year, month, day) = Self.calendar(days: days)
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
