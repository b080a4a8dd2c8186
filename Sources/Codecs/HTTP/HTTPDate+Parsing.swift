internal import Primitives

extension HTTPDate {
  /// Parses the three forms that a recipient must accept (RFC 9110 §5.6.7), and no others. Returns nil for other text and for a
  /// day that does not exist. The weekday must be valid, but may be wrong for the date.
  ///
  /// - Parameters:
  ///   - text: a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///   - now: the current date, which determines the century of a year with two digits.
  package init?(_ text: String, now: HTTPDate) {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    var reader = Reader(rest: Array(text.utf8)[...])
    guard let parts = reader.readDate(now: now), reader.rest.isEmpty else { return nil }
    self = parts
  }

  /// A parser of a date. It removes each part from `rest` after reading it.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func readDate(now: HTTPDate) -> HTTPDate? {
      // The long names are tried first, because `Sunday` begins with `Sun`.
      if readName(of: HTTPDate.longDayNames) != nil {
        return read(", ") ? readRFC850(now: now) : nil
      }
      guard readName(of: HTTPDate.dayNames) != nil else { return nil }
      if read(", ") { return readFixdate() }
      return read(" ") ? readAsctime() : nil
    }

    /// Reads an IMF-fixdate after its weekday: `06 Nov 1994 08:49:37 GMT`
    private mutating func readFixdate() -> HTTPDate? {
      guard let day = readNumber(digits: 2), read(" "), let month = readMonth(), read(" "),
        let year = readNumber(digits: 4), read(" "), let time = readTime(), read(" GMT")
      else { return nil }
      return Self.date(year, month, day, time)
    }

    /// Reads an rfc850-date after its weekday: `06-Nov-94 08:49:37 GMT`
    private mutating func readRFC850(now: HTTPDate) -> HTTPDate? {
      guard let day = readNumber(digits: 2), read("-"), let month = readMonth(), read("-"),
        let shortYear = readNumber(digits: 2), read(" "), let time = readTime(), read(" GMT")
      else { return nil }
      // A two-digit year that would be more than 50 years in the future means the latest past year with these digits.
      let thisYear = GregorianCalendar.date(days: now.secondsSinceEpoch / 86_400).year
      var year = thisYear - thisYear % 100 + shortYear
      if year > thisYear + 50 { year -= 100 }
      if year <= thisYear - 50 { year += 100 }
      return Self.date(year, month, day, time)
    }

    /// Reads an asctime-date after its weekday: `Nov  6 08:49:37 1994`
    private mutating func readAsctime() -> HTTPDate? {
      guard let month = readMonth(), read(" "),
        let day = read(" ") ? readNumber(digits: 1) : readNumber(digits: 2),
        read(" "), let time = readTime(), read(" "), let year = readNumber(digits: 4)
      else { return nil }
      return Self.date(year, month, day, time)
    }

    /// Reads a time of day and returns the seconds since midnight. Second 60 is a leap second, which counts as the first second
    /// of the next minute.
    private mutating func readTime() -> Int? {
      guard let hour = readNumber(digits: 2), hour < 24, read(":"), let minute = readNumber(digits: 2),
        minute < 60, read(":"), let second = readNumber(digits: 2), second <= 60
      else { return nil }
      return hour * 3_600 + minute * 60 + second
    }

    private mutating func readMonth() -> Int? {
      readName(of: HTTPDate.monthNames).map { $0 + 1 }
    }

    private mutating func readName(of names: [String]) -> Int? {
      names.firstIndex { read($0) }
    }

    private mutating func readNumber(digits: Int) -> Int? {
      guard rest.count >= digits, let number = Grammar.decimal(rest.prefix(digits)) else { return nil }
      rest = rest.dropFirst(digits)
      return number
    }

    private mutating func read(_ text: String) -> Bool {
      guard rest.starts(with: text.utf8) else { return false }
      rest = rest.dropFirst(text.utf8.count)
      return true
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> HTTPDate? {
      let days = GregorianCalendar.days(year: year, month: month, day: day)
      // A day that does not exist, such as 30 February, would become another day.
      guard GregorianCalendar.date(days: days) == (year, month, day) else { return nil }
      return HTTPDate(secondsSinceEpoch: days * 86_400 + time)
    }
  }
}
