internal import HTTP
internal import Wire

/// A response: its head and its body. The head does not contain the fields that are added to every response. Several responses
/// can share the array that contains the body.
struct Answer: Sendable {
  var head: ResponseHead
  var bytes: [UInt8] = []
  var range: Range<Int> = 0..<0
  /// True if the body is produced while it is sent, so that its length is not known beforehand. In HTTP/1.1, the last chunk marks
  /// the end of the body. In HTTP/1.0, the end of the connection marks it.
  var hasUnknownLength = false

  init(_ status: Status, fields: FieldList = [:]) {
    head = ResponseHead(status, fields: fields)
  }

  private init(_ status: Status, type: String, body: [UInt8]) {
    head = ResponseHead(status, fields: ["Content-Type": type, "Cache-Control": "no-store"])
    bytes = body
    range = 0..<body.count
  }

  static func json(_ status: Status, _ body: [UInt8]) -> Answer {
    Answer(status, type: "application/json", body: body)
  }

  /// Returns a JSON answer with the single member `status`, whose value is one word.
  static func status(_ word: StaticString) -> Answer {
    .json(.ok, Array("{\"status\":\"\(word)\"}\n".utf8))
  }

  static func text(_ status: Status, _ body: String, type: String = "text/plain; charset=utf-8") -> Answer {
    Answer(status, type: type, body: Array(body.utf8))
  }

  /// Returns a refusal as problem details (RFC 9457).
  static func problem(_ refusal: Refusal) -> Answer {
    var answer = Answer(
      Status(refusal.httpStatus), type: "application/problem+json", body: refusal.problem())
    if refusal.httpStatus == 429 || refusal.httpStatus == 503 {
      let seconds = ((refusal.retryAfterMs ?? 1000) + 999) / 1000
      answer.head.fields.append("Retry-After", "\(seconds)")
    }
    return answer
  }

  static func methodNotAllowed(_ allowed: String) -> Answer {
    var refusal = Refusal(.badRequest, "The allowed methods are \(allowed).")
    refusal.status = 405
    var answer = problem(refusal)
    answer.head.fields.append("Allow", allowed)
    return answer
  }
}
