import HTTP
import Testing

@Suite("RFC 9110 §13 to §15: conditional requests and range requests are answered as specified")
struct RepresentationResponseTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rule: String
    var method = Method.get
    var fields: FieldList = [:]
    var length = 10
    let answer: RepresentationResponse

    var testDescription: String { rule }
  }

  private static func content(
    _ status: Status, _ rest: [(String, String)], _ range: Range<Int>
  ) -> RepresentationResponse {
    var fields: FieldList = [
      "Cache-Control": "private", "Accept-Ranges": "bytes", "ETag": "\"v1\"",
      "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    for (name, value) in rest { fields.append(name, value) }
    return .content(ResponseHead(status, fields: fields), range)
  }

  static let cases = [
    Case(
      rule: "§15.3.1 the whole representation",
      answer: content(.ok, [("Content-Type", "image/png"), ("Content-Length", "10")], 0..<10)),
    Case(
      rule: "§9.3.2 HEAD has the same fields and no content", method: .head,
      answer: content(.ok, [("Content-Type", "image/png"), ("Content-Length", "10")], 0..<0)),
    Case(
      rule: "§15.3.1 an empty representation", length: 0,
      answer: content(.ok, [("Content-Type", "image/png"), ("Content-Length", "0")], 0..<0)),
    Case(
      rule: "§15.3.7.1 a range", fields: ["Range": "bytes=2-4"],
      answer: content(
        .partialContent,
        [("Content-Range", "bytes 2-4/10"), ("Content-Type", "image/png"), ("Content-Length", "3")], 2..<5)),
    Case(
      rule: "§15.3.7.1 a suffix", fields: ["Range": "bytes=-1"],
      answer: content(
        .partialContent,
        [("Content-Range", "bytes 9-9/10"), ("Content-Type", "image/png"), ("Content-Length", "1")], 9..<10)),
    Case(
      rule: "§14.2 Range is ignored for HEAD", method: .head, fields: ["Range": "bytes=2-4"],
      answer: content(.ok, [("Content-Type", "image/png"), ("Content-Length", "10")], 0..<0)),
    Case(
      rule: "§15.4.5 a 304 has validators, but no content fields", fields: ["If-None-Match": "\"v1\""],
      answer: content(.notModified, [], 0..<0)),
    Case(
      rule: "§13.1.1 If-Match with another tag", fields: ["If-Match": "\"v2\""], answer: .preconditionFailed),
    Case(
      rule: "§15.5.17 a range that begins at the end", fields: ["Range": "bytes=10-"],
      answer: .rangeNotSatisfiable(contentRange: "bytes */10")),
  ]

  @Test("the response for each example request has the expected status, fields and bytes", arguments: cases)
  func answers(_ one: Case) throws {
    let head = try #require(RequestHead(one.method, "/a", fields: one.fields))
    let representation = Representation(
      length: one.length, entityTag: EntityTag("v1"),
      lastModified: HTTPDate(secondsSinceEpoch: 784_111_777))
    let answer = RepresentationResponse(
      to: head, with: representation, always: ["Cache-Control": "private"],
      withContent: ["Content-Type": "image/png"], now: HTTPDate(secondsSinceEpoch: 1_795_219_200))
    #expect(answer == one.answer)
  }

  @Test(
    "RFC 9110 §8.8: if a representation has neither entity tag nor date, the response has no ETag and no Last-Modified"
  )
  func withoutValidators() throws {
    let head = try #require(RequestHead(.get, "/a"))
    let answer = RepresentationResponse(
      to: head, with: Representation(length: 1, entityTag: nil, lastModified: nil), always: [:],
      withContent: [:], now: HTTPDate(secondsSinceEpoch: 0))
    #expect(
      answer
        == .content(ResponseHead(.ok, fields: ["Accept-Ranges": "bytes", "Content-Length": "1"]), 0..<1))
  }
}
