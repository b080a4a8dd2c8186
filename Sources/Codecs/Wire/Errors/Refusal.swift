/// The refusal of a message or a request: the code, the words, and the numbers that explain it.
package struct Refusal: Error, Equatable, Sendable, Decodable, JSONWritable {
  /// The code of the broken rule.
  package var code: ErrorCode
  /// The reason in words that a person can act on.
  package var detail: String
  /// The limit that was exceeded, in its own unit.
  package var limit: UInt64?
  /// The actual value, to compare with `limit`.
  package var actual: UInt64?
  /// The number of milliseconds after which the client may try again.
  package var retryAfterMs: UInt64?
  /// The client sequence that the session expects; set when an entry is refused because client sequences are missing before it.
  package var expected: UInt32?
  /// The offset of the upload's next byte.
  package var offset: UInt64?
  /// The versions that the gateway supports.
  package var versions: [String]?
  /// The client sequence of the refused entry.
  package var clientSequence: UInt32?
  /// True if the attachment is damaged on the gateway's disk.
  package var damaged: Bool?
  /// The HTTP status; nil for the default status of `code`.
  package var status: Int?

  /// Creates a refusal without numbers.
  package init(_ code: ErrorCode, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// Creates a refusal with the limit that was exceeded, and the actual value.
  package init(_ code: ErrorCode, _ detail: String, limit: Int, actual: Int? = nil) {
    self.init(code, detail)
    self.limit = UInt64(clamping: limit)
    self.actual = actual.map(UInt64.init(clamping:))
  }

  /// The HTTP status of the response.
  package var httpStatus: Int { status ?? code.status }

  /// Returns the body of an `application/problem+json` response (RFC 9457 §3).
  ///
  /// - Parameter title: the title; nil for the title of `code`.
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

  /// Writes the object of an `error` message.
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
