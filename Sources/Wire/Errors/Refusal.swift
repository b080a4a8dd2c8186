/// What somebody is told whose message or request was refused: the code, words, and the numbers that explain it.
package struct Refusal: Error, Equatable, Sendable, Codable {
  /// Which rule.
  package var code: ErrorCode
  /// What happened, in words a person can act on.
  package var detail: String
  /// The limit that was reached, in its own unit.
  package var limit: UInt64?
  /// What was found where `limit` holds.
  package var actual: UInt64?
  /// After how many milliseconds it may be tried again.
  package var retryAfterMs: UInt64?
  /// The client sequence that is due, after a gap.
  package var expected: UInt32?
  /// Where an upload stands, in bytes.
  package var offset: UInt64?
  /// The versions the gateway speaks.
  package var versions: [String]?
  /// The entry that was refused, by its sender's number.
  package var clientSequence: UInt32?
  /// The HTTP status; without one that of the code.
  package var status: Int?

  /// A refusal without numbers; set those that explain it.
  package init(_ code: ErrorCode, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// The same with its limit and what was found, in one expression.
  package init(_ code: ErrorCode, _ detail: String, limit: Int, actual: Int? = nil) {
    self.init(code, detail)
    self.limit = UInt64(clamping: limit)
    self.actual = actual.map(UInt64.init(clamping:))
  }

  /// The HTTP status to answer with.
  package var httpStatus: Int { status ?? code.status }

  /// The body of an `application/problem+json` answer (RFC 9457 §3).
  ///
  /// - Parameter title: What to say instead of the code's own title.
  /// - Returns: JSON in UTF-8.
  package func problem(title: String? = nil) -> [UInt8] {
    WireJSON.encode(
      Problem(
        type: "urn:drawtogether:error:\(code.rawValue)", title: title ?? code.title, status: httpStatus,
        refusal: self))
  }
}

/// A refusal as RFC 9457 wants it: flat, with `type`, `title` and `status` beside our members.
private struct Problem: Encodable {
  let type: String
  let title: String
  let status: Int
  let refusal: Refusal

  enum CodingKeys: String, CodingKey {
    case type, title, status
  }

  func encode(to encoder: any Encoder) throws {
    var refusal = refusal
    refusal.status = nil
    try refusal.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type, forKey: .type)
    try container.encode(title, forKey: .title)
    try container.encode(status, forKey: .status)
  }
}
