internal import Glibc
internal import Primitives

/// A time in UTC, in milliseconds since 1970. Its description is ISO 8601.
package struct LogTime: Equatable, Sendable, CustomStringConvertible {
  package let millisecondsSince1970: Int64

  /// Creates a time from the milliseconds since 1970 (UTC).
  package init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  /// The present time of the system's clock.
  package static var now: LogTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return LogTime(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The time in ISO 8601: `2026-11-21T12:29:19.042Z`.
  package var description: String {
    let ofDay = (millisecondsSince1970 % 86_400_000 + 86_400_000) % 86_400_000
    let (year, month, day) = GregorianCalendar.date(days: Int((millisecondsSince1970 - ofDay) / 86_400_000))
    var text: [UInt8] = []
    text.reserveCapacity(24)
    func append(_ separator: StaticString, _ value: Int, digits: Int) {
      text.append(contentsOf: separator.description.utf8)
      var divisor = 1
      for _ in 1..<digits { divisor *= 10 }
      while divisor > 0 {
        text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
        divisor /= 10
      }
    }
    append("", Int(year), digits: 4)
    append("-", Int(month), digits: 2)
    append("-", Int(day), digits: 2)
    append("T", Int(ofDay / 3_600_000), digits: 2)
    append(":", Int(ofDay / 60_000 % 60), digits: 2)
    append(":", Int(ofDay / 1000 % 60), digits: 2)
    append(".", Int(ofDay % 1000), digits: 3)
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }
}
