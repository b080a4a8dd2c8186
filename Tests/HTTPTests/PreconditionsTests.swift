import HTTP
import Testing

@Suite("Conditional and range requests, RFC 9110 §13 and §14")
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

  /// The representation has the tag "v1" and was changed on Sun, 06 Nov 1994 08:49:37 GMT.
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
    Case(rule: "nothing asked", fields: [:], outcome: .full),
    Case(rule: "§13.1.1 same", fields: ["If-Match": "\"v1\""], outcome: .full),
    Case(rule: "§13.1.1 one of many", fields: ["If-Match": "\"v0\" , \"v1\""], outcome: .full),
    Case(
      rule: "§13.1.1 in the second field", fields: ["If-Match": "\"v0\"", "if-match": "\"v1\""],
      outcome: .full),
    Case(rule: "§13.1.1 another", fields: ["If-Match": "\"v2\""], outcome: .preconditionFailed),
    Case(
      rule: "§13.1.1 another", method: .delete, fields: ["If-Match": "\"v2\""], outcome: .preconditionFailed),
    Case(rule: "§13.1.1 weak does not do", fields: ["If-Match": "W/\"v1\""], outcome: .preconditionFailed),
    Case(
      rule: "§13.1.1 ours is weak", fields: ["If-Match": "\"v1\""], isWeak: true, outcome: .preconditionFailed
    ),
    Case(rule: "§13.1.1 any", fields: ["If-Match": "*"], outcome: .full),
    Case(
      rule: "§13.1.1 any of nothing", fields: ["If-Match": "*"], isThere: false, outcome: .preconditionFailed),
    Case(rule: "§13.1.1 malformed", fields: ["If-Match": "v1"], outcome: .preconditionFailed),
    Case(rule: "§13.1.1 empty", fields: ["If-Match": ""], outcome: .preconditionFailed),
    Case(
      rule: "§13.1.1 a comma within a tag", fields: ["If-Match": "\"v0,\"v1\""], outcome: .preconditionFailed),
    Case(rule: "§13.1.2 same", fields: ["If-None-Match": "\"v1\""], outcome: .notModified),
    Case(rule: "§13.1.2 weak does", fields: ["If-None-Match": "W/\"v1\""], outcome: .notModified),
    Case(rule: "§13.1.2 one of many", fields: ["If-None-Match": "\"a,b\", W/\"v1\""], outcome: .notModified),
    Case(rule: "§13.1.2 HEAD", method: .head, fields: ["If-None-Match": "\"v1\""], outcome: .notModified),
    Case(
      rule: "§13.1.2 a method that changes the resource", method: .put, fields: ["If-None-Match": "\"v1\""],
      outcome: .preconditionFailed),
    Case(rule: "§13.1.2 another", fields: ["If-None-Match": "\"v2\""], outcome: .full),
    Case(rule: "§13.1.2 case counts", fields: ["If-None-Match": "\"V1\""], outcome: .full),
    Case(rule: "§13.1.2 any", fields: ["If-None-Match": "*"], outcome: .notModified),
    Case(
      rule: "§13.1.2 any, PUT", method: .put, fields: ["If-None-Match": "*"], outcome: .preconditionFailed),
    Case(
      rule: "§13.1.2 any of nothing", method: .put, fields: ["If-None-Match": "*"], isThere: false,
      outcome: .full),
    Case(rule: "§13.1.2 malformed", fields: ["If-None-Match": "v1, w/\"v1\""], outcome: .full),
    Case(rule: "§13.1.3 since before", fields: ["If-Modified-Since": before], outcome: .full),
    Case(rule: "§13.1.3 since the same", fields: ["If-Modified-Since": same], outcome: .notModified),
    Case(rule: "§13.1.3 since after", fields: ["If-Modified-Since": after], outcome: .notModified),
    Case(rule: "§13.1.3 HEAD", method: .head, fields: ["If-Modified-Since": same], outcome: .notModified),
    Case(rule: "§13.1.3 not for POST", method: .post, fields: ["If-Modified-Since": same], outcome: .full),
    Case(rule: "§13.1.3 not a date", fields: ["If-Modified-Since": "yesterday"], outcome: .full),
    Case(
      rule: "§13.1.3 two dates", fields: ["If-Modified-Since": same, "If-Modified-Since": same],
      outcome: .full),
    Case(
      rule: "§13.1.3 tags come first", fields: ["If-Modified-Since": same, "If-None-Match": "\"v2\""],
      outcome: .full),
    Case(
      rule: "§13.1.3 tags come first, the other way",
      fields: ["If-Modified-Since": before, "If-None-Match": "\"v1\""],
      outcome: .notModified),
    Case(rule: "§13.1.4 since before", fields: ["If-Unmodified-Since": before], outcome: .preconditionFailed),
    Case(rule: "§13.1.4 since the same", fields: ["If-Unmodified-Since": same], outcome: .full),
    Case(
      rule: "§13.1.4 for any method", method: .delete, fields: ["If-Unmodified-Since": before],
      outcome: .preconditionFailed),
    Case(rule: "§13.1.4 not a date", fields: ["If-Unmodified-Since": "0"], outcome: .full),
    Case(
      rule: "§13.1.4 tags come first", fields: ["If-Unmodified-Since": before, "If-Match": "\"v1\""],
      outcome: .full),
    Case(
      rule: "§13.2.2 If-Match before If-None-Match",
      fields: ["If-None-Match": "\"v1\"", "If-Match": "\"v2\""],
      outcome: .preconditionFailed),
    Case(
      rule: "§13.2.2 a condition before a range", fields: ["Range": "bytes=0-1", "If-None-Match": "\"v1\""],
      outcome: .notModified),
  ]

  static let ranges = [
    Case(rule: "§14.1.2 both ends", fields: ["Range": "bytes=0-49"], outcome: .partial(0..<50)),
    Case(rule: "§14.1.2 one byte", fields: ["Range": "bytes=0-0"], outcome: .partial(0..<1)),
    Case(rule: "§14.1.2 the last byte", fields: ["Range": "bytes=99-99"], outcome: .partial(99..<100)),
    Case(rule: "§14.1.2 beyond the end", fields: ["Range": "bytes=90-1000"], outcome: .partial(90..<100)),
    Case(rule: "§14.1.2 to the end", fields: ["Range": "bytes=10-"], outcome: .partial(10..<100)),
    Case(rule: "§14.1.2 all", fields: ["Range": "bytes=0-"], outcome: .partial(0..<100)),
    Case(rule: "§14.1.2 the end", fields: ["Range": "bytes=-10"], outcome: .partial(90..<100)),
    Case(rule: "§14.1.2 more than all", fields: ["Range": "bytes=-1000"], outcome: .partial(0..<100)),
    Case(rule: "§14.1 unit in any case", fields: ["Range": "BYTES=1-2"], outcome: .partial(1..<3)),
    Case(rule: "RFC 9110 §5.6.1 empty elements", fields: ["Range": "bytes=,1-2, "], outcome: .partial(1..<3)),
    Case(
      rule: "§14.1.2 an end above every integer", fields: ["Range": "bytes=1-99999999999999999999"],
      outcome: .partial(1..<100)),
    Case(rule: "§14.4 begins at the end", fields: ["Range": "bytes=100-"], outcome: .rangeNotSatisfiable),
    Case(
      rule: "§14.4 a start after the end", fields: ["Range": "bytes=100-200"], outcome: .rangeNotSatisfiable),
    Case(rule: "§14.4 an empty suffix", fields: ["Range": "bytes=-0"], outcome: .rangeNotSatisfiable),
    Case(
      rule: "§14.4 a start above every integer", fields: ["Range": "bytes=99999999999999999999-"],
      outcome: .rangeNotSatisfiable),
    Case(
      rule: "§14.4 nothing there", fields: ["Range": "bytes=0-"], length: 0, outcome: .rangeNotSatisfiable),
    Case(rule: "§14.1.2 the end of nothing", fields: ["Range": "bytes=-5"], length: 0, outcome: .full),
    Case(rule: "§14.2 several", fields: ["Range": "bytes=0-1,4-5"], outcome: .full),
    Case(rule: "§14.2 two fields", fields: ["Range": "bytes=0-1", "Range": "bytes=4-5"], outcome: .full),
    Case(rule: "§14.2 another unit", fields: ["Range": "lines=0-1"], outcome: .full),
    Case(rule: "§14.2 backwards", fields: ["Range": "bytes=5-4"], outcome: .full),
    Case(rule: "§14.2 no numbers", fields: ["Range": "bytes=-"], outcome: .full),
    Case(rule: "§14.2 letters", fields: ["Range": "bytes=a-b"], outcome: .full),
    Case(rule: "§14.2 a sign", fields: ["Range": "bytes=+1-2"], outcome: .full),
    Case(rule: "§14.2 two dashes", fields: ["Range": "bytes=1--2"], outcome: .full),
    Case(rule: "§14.2 no range", fields: ["Range": "bytes="], outcome: .full),
    Case(rule: "§14.2 no unit", fields: ["Range": "0-1"], outcome: .full),
    Case(rule: "§14.2 only for GET", method: .head, fields: ["Range": "bytes=0-1"], outcome: .full),
    Case(rule: "§14.2 only for GET", method: .post, fields: ["Range": "bytes=0-1"], outcome: .full),
    Case(
      rule: "§13.1.5 same tag", fields: ["Range": "bytes=0-1", "If-Range": "\"v1\""], outcome: .partial(0..<2)
    ),
    Case(rule: "§13.1.5 another tag", fields: ["Range": "bytes=0-1", "If-Range": "\"v2\""], outcome: .full),
    Case(
      rule: "§13.1.5 another tag, a range that is not",
      fields: ["Range": "bytes=500-", "If-Range": "\"v2\""],
      outcome: .full),
    Case(rule: "§13.1.5 weak tag", fields: ["Range": "bytes=0-1", "If-Range": "W/\"v1\""], outcome: .full),
    Case(
      rule: "§13.1.5 ours is weak", fields: ["Range": "bytes=0-1", "If-Range": "\"v1\""], isWeak: true,
      outcome: .full),
    Case(
      rule: "§13.1.5 a list", fields: ["Range": "bytes=0-1", "If-Range": "\"v1\", \"v2\""], outcome: .full),
    Case(
      rule: "§13.1.5 same date", fields: ["Range": "bytes=0-1", "If-Range": same], outcome: .partial(0..<2)),
    Case(
      rule: "§13.1.5 a later date is another", fields: ["Range": "bytes=0-1", "If-Range": after],
      outcome: .full),
    Case(
      rule: "§13.1.5 an earlier date", fields: ["Range": "bytes=0-1", "If-Range": before], outcome: .full),
    Case(rule: "§13.1.5 neither", fields: ["Range": "bytes=0-1", "If-Range": "v1"], outcome: .full),
    Case(rule: "§13.1.5 without a range", fields: ["If-Range": "\"v1\""], outcome: .full),
  ]

  @Test(
    "the condition and range fields of a request give the expected kind of response",
    arguments: conditions + ranges)
  func outcomes(_ one: Case) {
    #expect(evaluate(one) == one.outcome)
  }

  @Test(
    "§8.8.2.2 with If-Range, a Last-Modified date within the current second gives the whole representation")
  func weakDate() {
    let one = Case(rule: "", fields: ["Range": "bytes=0-1", "If-Range": Self.same], outcome: .full)
    #expect(evaluate(one, now: 784_111_777) == .full)
    #expect(evaluate(one, now: 784_111_778) == .partial(0..<2))
  }
}

@Suite("Entity tags, RFC 9110 §8.8.3")
struct EntityTagTests {
  @Test(
    "entity tags are read and written again",
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
    "§8.8.3.2 strong and weak comparison give the results of the table in the RFC",
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
