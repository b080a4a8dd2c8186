/// What somebody is told whose message or request was refused: the code, words, and the numbers that explain it.
package struct Refusal: Error, Equatable, Sendable, Decodable, JSONWritable {
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
  /// True when the attachment is damaged on the gateway's disk.
  package var damaged: Bool?
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
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("type", "urn:drawtogether:error:\(code.rawValue)")
      writer.member("title", title ?? code.title)
      writer.member("status", httpStatus)
      writeMembers(to: &writer)
    }
    return writer.bytes
  }

  /// Writes the object that stands in an `error` message.
  package func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  private func writeMembers(to writer: inout JSONWriter) {
    writer.member("code", code.rawValue)
    writer.member("detail", detail)
    writer.member("clientSequence", clientSequence)
    writer.member("limit", limit)
    writer.member("actual", actual)
    writer.member("retryAfterMs", retryAfterMs)
    writer.member("expected", expected)
    writer.member("offset", offset)
    if let damaged { writer.member("damaged", damaged) }
    if let versions {
      writer.name("versions")
      writer.array { writer in
        for version in versions {
          writer.element()
          writer.write(version)
        }
      }
    }
  }
}
