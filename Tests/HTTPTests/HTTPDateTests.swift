import HTTP
import Testing

@Suite("RFC 9110 §5.6.7: HTTP dates are written and parsed")
struct HTTPDateTests {
  private let now = HTTPDate(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21

  struct Written: Sendable {
    let seconds: Int
    let text: String
  }

  /// Dates, with the seconds that `date -u -d TEXT +%s` prints.
  static let written = [
    Written(seconds: 0, text: "Thu, 01 Jan 1970 00:00:00 GMT"),
    Written(seconds: 784_111_777, text: "Sun, 06 Nov 1994 08:49:37 GMT"),
    Written(seconds: 951_782_400, text: "Tue, 29 Feb 2000 00:00:00 GMT"),
    Written(seconds: 951_868_799, text: "Tue, 29 Feb 2000 23:59:59 GMT"),
    Written(seconds: 1_709_164_800, text: "Thu, 29 Feb 2024 00:00:00 GMT"),
    Written(seconds: 1_798_761_599, text: "Thu, 31 Dec 2026 23:59:59 GMT"),
    Written(seconds: 4_107_542_400, text: "Mon, 01 Mar 2100 00:00:00 GMT"),
    Written(seconds: -1, text: "Wed, 31 Dec 1969 23:59:59 GMT"),
    Written(seconds: -2_208_988_800, text: "Mon, 01 Jan 1900 00:00:00 GMT"),
    Written(seconds: 253_402_300_799, text: "Fri, 31 Dec 9999 23:59:59 GMT"),
  ]

  @Test("a date is written as the expected text, and the text is parsed as the same date", arguments: written)
  func writes(_ written: Written) {
    #expect(HTTPDate(secondsSinceEpoch: written.seconds).description == written.text)
    #expect(HTTPDate(written.text, now: now)?.secondsSinceEpoch == written.seconds)
  }

  @Test(
    "RFC 9110 §5.6.7: all three formats of HTTP dates are parsed",
    arguments: [
      Written(seconds: 784_111_777, text: "Sun, 06 Nov 1994 08:49:37 GMT"),
      Written(seconds: 784_111_777, text: "Sunday, 06-Nov-94 08:49:37 GMT"),
      Written(seconds: 784_111_777, text: "Sun Nov  6 08:49:37 1994"),
      Written(seconds: 784_975_777, text: "Wed Nov 16 08:49:37 1994"),
      // A two-digit year stands for the latest year that ends with these digits and is at most 50 years in the future.
      Written(seconds: 3_345_062_400, text: "Thursday, 01-Jan-76 00:00:00 GMT"),
      Written(seconds: 220_924_800, text: "Saturday, 01-Jan-77 00:00:00 GMT"),
      // A leap second counts as the first second of the next minute. A date with a wrong weekday is accepted.
      Written(seconds: 1_483_228_800, text: "Sat, 31 Dec 2016 23:59:60 GMT"),
      Written(seconds: 784_111_777, text: "Mon, 06 Nov 1994 08:49:37 GMT"),
    ])
  func reads(_ written: Written) {
    #expect(HTTPDate(written.text, now: now)?.secondsSinceEpoch == written.seconds)
  }

  @Test(
    "texts that are not valid dates are refused",
    arguments: [
      "", "0", "784111777", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
      "sun, 06 nov 1994 08:49:37 gmt", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 1900 00:00:00 GMT", "Thu, 29 Feb 2023 00:00:00 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
      "Sun Nov 06 08:49:37 94", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT\u{E9}", "06 Nov 1994 08:49:37 GMT",
    ])
  func refuses(_ text: String) {
    #expect(HTTPDate(text, now: now) == nil)
  }

  @Test("HTTP dates from 1900 to 2300 that are written are parsed as the same dates")
  func calendar() {
    for day in stride(from: -25_567, through: 120_530, by: 13) {
      let date = HTTPDate(secondsSinceEpoch: day * 86_400 + 45_296)
      #expect(HTTPDate(date.description, now: now) == date)
    }
  }
}
