import HTTP
import Testing

@Suite("Conditional and range requests are answered as in RFC 9110 §13 and §14")
struct PreconditionsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rule: String
    var method = Method.get
    let fields: FieldList
    var isThere = true
    var isWeak = false
    var length = 100
    let outcome: Preconditions.Outcome

    var testDescription: String { "\(rule): \(fields.map { "\($0.name): \($0.value)" })" }
  }

  /// Evaluates the preconditions of a request. The representation has the tag "v1" and was changed on Sun, 06 Nov 1994 08:49:37
  /// GMT.
  private func evaluate(_ one: Case, now seconds: Int = 1_795_219_200) -> Preconditions.Outcome {
    let representation = Representation(
      length: one.length, entityTag: EntityTag("v1", isWeak: one.isWeak),
      lastModified: HTTPDate(secondsSinceEpoch: 784_111_777))
    return Preconditions.evaluate(
      method: one.method, fields: one.fields, representation: one.isThere ? representation : nil,
      now: HTTPDate(secondsSinceEpoch: seconds))
  }

  private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
  private static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

  static let conditions = [
    Case(rule: "a request without conditions", fields: [:], outcome: .full),
    Case(rule: "§13.1.1 If-Match with the same tag", fields: ["If-Match": "\"v1\""], outcome: .full),
    Case(
      rule: "§13.1.1 one of several tags matches", fields: ["If-Match": "\"v0\" , \"v1\""], outcome: .full),
    Case(
      rule: "§13.1.1 a tag in the second field matches",
      fields: ["If-Match": "\"v0\"", "if-match": "\"v1\""],
      outcome: .full),
    Case(
      rule: "§13.1.1 If-Match with another tag", fields: ["If-Match": "\"v2\""], outcome: .preconditionFailed),
    Case(
      rule: "§13.1.1 If-Match with another tag", method: .delete, fields: ["If-Match": "\"v2\""],
      outcome: .preconditionFailed),
    Case(
      rule: "§13.1.1 a weak tag in If-Match never matches", fields: ["If-Match": "W/\"v1\""],
      outcome: .preconditionFailed),
    Case(
      rule: "§13.1.1 a weak tag of the representation never matches", fields: ["If-Match": "\"v1\""],
      isWeak: true, outcome: .preconditionFailed
    ),
    Case(rule: "§13.1.1 If-Match: * with a representation", fields: ["If-Match": "*"], outcome: .full),
    Case(
      rule: "§13.1.1 If-Match: * without a representation", fields: ["If-Match": "*"], isThere: false,
      outcome: .preconditionFailed),
    Case(rule: "§13.1.1 a malformed tag", fields: ["If-Match": "v1"], outcome: .preconditionFailed),
    Case(rule: "§13.1.1 an empty field", fields: ["If-Match": ""], outcome: .preconditionFailed),
    Case(
      rule: "§13.1.1 a comma within a tag", fields: ["If-Match": "\"v0,\"v1\""], outcome: .preconditionFailed),
    Case(
      rule: "§13.1.2 If-None-Match with the same tag", fields: ["If-None-Match": "\"v1\""],
      outcome: .notModified),
    Case(
      rule: "§13.1.2 a weak tag in If-None-Match matches", fields: ["If-None-Match": "W/\"v1\""],
      outcome: .notModified),
    Case(
      rule: "§13.1.2 one of several tags matches", fields: ["If-None-Match": "\"a,b\", W/\"v1\""],
      outcome: .notModified),
    Case(
      rule: "§13.1.2 If-None-Match with HEAD", method: .head, fields: ["If-None-Match": "\"v1\""],
      outcome: .notModified),
    Case(
      rule: "§13.1.2 a method that changes the resource", method: .put, fields: ["If-None-Match": "\"v1\""],
      outcome: .preconditionFailed),
    Case(rule: "§13.1.2 If-None-Match with another tag", fields: ["If-None-Match": "\"v2\""], outcome: .full),
    Case(rule: "§13.1.2 tags are case-sensitive", fields: ["If-None-Match": "\"V1\""], outcome: .full),
    Case(rule: "§13.1.2 If-None-Match: * with GET", fields: ["If-None-Match": "*"], outcome: .notModified),
    Case(
      rule: "§13.1.2 If-None-Match: * with PUT", method: .put, fields: ["If-None-Match": "*"],
      outcome: .preconditionFailed),
    Case(
      rule: "§13.1.2 If-None-Match: * without a representation", method: .put, fields: ["If-None-Match": "*"],
      isThere: false,
      outcome: .full),
    Case(rule: "§13.1.2 malformed tags", fields: ["If-None-Match": "v1, w/\"v1\""], outcome: .full),
    Case(rule: "§13.1.3 modified after the date", fields: ["If-Modified-Since": before], outcome: .full),
    Case(
      rule: "§13.1.3 modified exactly at the date", fields: ["If-Modified-Since": same], outcome: .notModified
    ),
    Case(
      rule: "§13.1.3 modified before the date", fields: ["If-Modified-Since": after], outcome: .notModified),
    Case(
      rule: "§13.1.3 If-Modified-Since with HEAD", method: .head, fields: ["If-Modified-Since": same],
      outcome: .notModified),
    Case(
      rule: "§13.1.3 If-Modified-Since is ignored for POST", method: .post,
      fields: ["If-Modified-Since": same], outcome: .full),
    Case(
      rule: "§13.1.3 a text that is not a date is ignored", fields: ["If-Modified-Since": "yesterday"],
      outcome: .full),
    Case(
      rule: "§13.1.3 two fields are ignored", fields: ["If-Modified-Since": same, "If-Modified-Since": same],
      outcome: .full),
    Case(
      rule: "§13.1.3 If-None-Match with another tag overrides an unmodified date",
      fields: ["If-Modified-Since": same, "If-None-Match": "\"v2\""],
      outcome: .full),
    Case(
      rule: "§13.1.3 If-None-Match with the same tag overrides a modified date",
      fields: ["If-Modified-Since": before, "If-None-Match": "\"v1\""],
      outcome: .notModified),
    Case(
      rule: "§13.1.4 modified after the date", fields: ["If-Unmodified-Since": before],
      outcome: .preconditionFailed),
    Case(rule: "§13.1.4 modified exactly at the date", fields: ["If-Unmodified-Since": same], outcome: .full),
    Case(
      rule: "§13.1.4 If-Unmodified-Since with DELETE", method: .delete,
      fields: ["If-Unmodified-Since": before],
      outcome: .preconditionFailed),
    Case(
      rule: "§13.1.4 a text that is not a date is ignored", fields: ["If-Unmodified-Since": "0"],
      outcome: .full),
    Case(
      rule: "§13.1.4 If-Match overrides If-Unmodified-Since",
      fields: ["If-Unmodified-Since": before, "If-Match": "\"v1\""],
      outcome: .full),
    Case(
      rule: "§13.2.2 If-Match is evaluated before If-None-Match",
      fields: ["If-None-Match": "\"v1\"", "If-Match": "\"v2\""],
      outcome: .preconditionFailed),
    Case(
      rule: "§13.2.2 a condition is evaluated before the range",
      fields: ["Range": "bytes=0-1", "If-None-Match": "\"v1\""],
      outcome: .notModified),
  ]

  static let ranges = [
    Case(
      rule: "§14.1.2 the first and the last byte are given", fields: ["Range": "bytes=0-49"],
      outcome: .partial(0..<50)),
    Case(rule: "§14.1.2 one byte", fields: ["Range": "bytes=0-0"], outcome: .partial(0..<1)),
    Case(rule: "§14.1.2 the last byte", fields: ["Range": "bytes=99-99"], outcome: .partial(99..<100)),
    Case(
      rule: "§14.1.2 the last byte is beyond the end", fields: ["Range": "bytes=90-1000"],
      outcome: .partial(90..<100)),
    Case(rule: "§14.1.2 from a byte to the end", fields: ["Range": "bytes=10-"], outcome: .partial(10..<100)),
    Case(rule: "§14.1.2 from byte 0 to the end", fields: ["Range": "bytes=0-"], outcome: .partial(0..<100)),
    Case(rule: "§14.1.2 a suffix", fields: ["Range": "bytes=-10"], outcome: .partial(90..<100)),
    Case(
      rule: "§14.1.2 a suffix longer than the representation", fields: ["Range": "bytes=-1000"],
      outcome: .partial(0..<100)),
    Case(rule: "§14.1 the unit in upper case", fields: ["Range": "BYTES=1-2"], outcome: .partial(1..<3)),
    Case(rule: "RFC 9110 §5.6.1 empty elements", fields: ["Range": "bytes=,1-2, "], outcome: .partial(1..<3)),
    Case(
      rule: "§14.1.2 a last byte that does not fit into an integer",
      fields: ["Range": "bytes=1-99999999999999999999"],
      outcome: .partial(1..<100)),
    Case(
      rule: "§14.4 a range that begins at the end", fields: ["Range": "bytes=100-"],
      outcome: .rangeNotSatisfiable),
    Case(
      rule: "§14.4 a first byte after the end", fields: ["Range": "bytes=100-200"],
      outcome: .rangeNotSatisfiable),
    Case(rule: "§14.4 a suffix of zero bytes", fields: ["Range": "bytes=-0"], outcome: .rangeNotSatisfiable),
    Case(
      rule: "§14.4 a first byte that does not fit into an integer",
      fields: ["Range": "bytes=99999999999999999999-"],
      outcome: .rangeNotSatisfiable),
    Case(
      rule: "§14.4 a range of an empty representation", fields: ["Range": "bytes=0-"], length: 0,
      outcome: .rangeNotSatisfiable),
    Case(
      rule: "§14.1.2 a suffix of an empty representation", fields: ["Range": "bytes=-5"], length: 0,
      outcome: .full),
    Case(rule: "§14.2 several ranges", fields: ["Range": "bytes=0-1,4-5"], outcome: .full),
    Case(
      rule: "§14.2 two Range fields", fields: ["Range": "bytes=0-1", "Range": "bytes=4-5"], outcome: .full),
    Case(rule: "§14.2 another unit", fields: ["Range": "lines=0-1"], outcome: .full),
    Case(rule: "§14.2 a last byte before the first byte", fields: ["Range": "bytes=5-4"], outcome: .full),
    Case(rule: "§14.2 no numbers", fields: ["Range": "bytes=-"], outcome: .full),
    Case(rule: "§14.2 letters instead of numbers", fields: ["Range": "bytes=a-b"], outcome: .full),
    Case(rule: "§14.2 a number with a sign", fields: ["Range": "bytes=+1-2"], outcome: .full),
    Case(rule: "§14.2 two dashes", fields: ["Range": "bytes=1--2"], outcome: .full),
    Case(rule: "§14.2 no range", fields: ["Range": "bytes="], outcome: .full),
    Case(rule: "§14.2 no unit", fields: ["Range": "0-1"], outcome: .full),
    Case(
      rule: "§14.2 Range is ignored for other methods than GET", method: .head,
      fields: ["Range": "bytes=0-1"], outcome: .full),
    Case(
      rule: "§14.2 Range is ignored for other methods than GET", method: .post,
      fields: ["Range": "bytes=0-1"], outcome: .full),
    Case(
      rule: "§13.1.5 If-Range with the same tag", fields: ["Range": "bytes=0-1", "If-Range": "\"v1\""],
      outcome: .partial(0..<2)
    ),
    Case(
      rule: "§13.1.5 If-Range with another tag", fields: ["Range": "bytes=0-1", "If-Range": "\"v2\""],
      outcome: .full),
    Case(
      rule: "§13.1.5 If-Range with another tag, and an unsatisfiable range",
      fields: ["Range": "bytes=500-", "If-Range": "\"v2\""],
      outcome: .full),
    Case(
      rule: "§13.1.5 If-Range with a weak tag", fields: ["Range": "bytes=0-1", "If-Range": "W/\"v1\""],
      outcome: .full),
    Case(
      rule: "§13.1.5 the tag of the representation is weak",
      fields: ["Range": "bytes=0-1", "If-Range": "\"v1\""], isWeak: true,
      outcome: .full),
    Case(
      rule: "§13.1.5 If-Range with a list of tags",
      fields: ["Range": "bytes=0-1", "If-Range": "\"v1\", \"v2\""], outcome: .full),
    Case(
      rule: "§13.1.5 If-Range with the same date", fields: ["Range": "bytes=0-1", "If-Range": same],
      outcome: .partial(0..<2)),
    Case(
      rule: "§13.1.5 If-Range with a later date", fields: ["Range": "bytes=0-1", "If-Range": after],
      outcome: .full),
    Case(
      rule: "§13.1.5 If-Range with an earlier date", fields: ["Range": "bytes=0-1", "If-Range": before],
      outcome: .full),
    Case(
      rule: "§13.1.5 If-Range with neither a tag nor a date",
      fields: ["Range": "bytes=0-1", "If-Range": "v1"], outcome: .full),
    Case(rule: "§13.1.5 If-Range without Range", fields: ["If-Range": "\"v1\""], outcome: .full),
  ]

  @Test(
    "the condition and range fields of a request give the expected kind of response",
    arguments: conditions + ranges)
  func outcomes(_ one: Case) {
    #expect(evaluate(one) == one.outcome)
  }

  @Test(
    "RFC 9110 §8.8.2.2: with If-Range, a Last-Modified date within the current second gives the whole representation"
  )
  func weakDate() {
    let one = Case(rule: "", fields: ["Range": "bytes=0-1", "If-Range": Self.same], outcome: .full)
    #expect(evaluate(one, now: 784_111_777) == .full)
    #expect(evaluate(one, now: 784_111_778) == .partial(0..<2))
  }
}

@Suite("Entity tags, RFC 9110 §8.8.3")
struct EntityTagTests {
  @Test(
    "an entity tag that is parsed and written again has the same text as before",
    arguments: ["\"\"", "\"a\"", "W/\"a\"", "\"!#~\"", "\"\u{E9}\"", "\"a\\b\"", "\"W/\""])
  func roundTrip(_ text: String) {
    #expect(EntityTag(parsing: text)?.description == text)
  }

  @Test(
    "texts that are not entity tags are refused",
    arguments: [
      "", "\"", "a", "w/\"a\"", "W/a", "W/", "W/\"", "\"a", "a\"", "\"a\"b", "\"a b\"", "\"a\"\"", "W /\"a\"",
      "\"\u{7F}\"", "*", "\"\u{100}\"",
    ])
  func refuses(_ text: String) {
    #expect(EntityTag(parsing: text) == nil)
  }

  struct Pair: Sendable {
    let one: String
    let other: String
    let strongly: Bool
    let weakly: Bool
  }

  @Test(
    "RFC 9110 §8.8.3.2: strong and weak comparison give the results of the table in the RFC",
    arguments: [
      Pair(one: "W/\"1\"", other: "W/\"1\"", strongly: false, weakly: true),
      Pair(one: "W/\"1\"", other: "W/\"2\"", strongly: false, weakly: false),
      Pair(one: "W/\"1\"", other: "\"1\"", strongly: false, weakly: true),
      Pair(one: "\"1\"", other: "\"1\"", strongly: true, weakly: true),
    ])
  func compares(_ pair: Pair) throws {
    let (one, other) = (
      try #require(EntityTag(parsing: pair.one)), try #require(EntityTag(parsing: pair.other))
    )
    #expect(one.matchesStrongly(other) == pair.strongly)
    #expect(other.matchesStrongly(one) == pair.strongly)
    #expect(one.matchesWeakly(other) == pair.weakly)
    #expect(other.matchesWeakly(one) == pair.weakly)
  }
}
