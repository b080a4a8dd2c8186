import TestSupport
import Testing
import Wire

/// PROTOCOL 5 and the end of 2.2: error codes, problem details and close reasons.
@Suite("PROTOCOL 5: refusals")
struct ErrorsTests {
  @Test("the error codes are those of the protocol")
  func codes() {
    #expect(
      ErrorCode.allCases.map(\.rawValue) == [
        "bad-request", "unsupported-version", "not-found", "ended", "session-full", "origin-refused",
        "token-needed", "not-joined", "message-too-large", "rate-limited", "sequence-gap", "bad-entry",
        "unknown-participant", "session-quota", "attachment-too-large", "storage-full", "offset-mismatch",
        "digest-mismatch", "not-ready", "too-many", "unavailable", "internal", "left", "no-answer",
        "resumed-elsewhere", "too-slow",
      ])
  }

  @Test(
    "each error code has the HTTP status that the protocol defines",
    arguments: [
      (.badRequest, 400), (.originRefused, 403), (.tokenNeeded, 403), (.notFound, 404), (.ended, 410),
      (.attachmentTooLarge, 413), (.sessionQuota, 413), (.digestMismatch, 422), (.storageFull, 507),
      (.offsetMismatch, 409), (.notReady, 409), (.rateLimited, 429), (.unavailable, 503),
    ] as [(ErrorCode, Int)])
  func statuses(_ code: ErrorCode, _ status: Int) {
    #expect(Refusal(code, "").httpStatus == status)
  }

  @Test("RFC 9457 §3: problem details have the members that the RFC defines and the numbers of the refusal")
  func problem() {
    var refusal = Refusal(.attachmentTooLarge, "At most 1 byte.", limit: 1, actual: 2)
    #expect(
      text(refusal.problem())
        == #"{"type":"urn:drawtogether:error:attachment-too-large","title":"Attachment too large","#
        + #""status":413,"code":"attachment-too-large","detail":"At most 1 byte.","limit":1,"actual":2}"#)
    refusal = Refusal(.tooMany, "Wait.")
    refusal.retryAfterMs = 1_500
    refusal.status = 429
    #expect(
      text(refusal.problem(title: "Too many sessions"))
        == #"{"type":"urn:drawtogether:error:too-many","title":"Too many sessions","status":429,"#
        + #""code":"too-many","detail":"Wait.","retryAfterMs":1500}"#)
    refusal = Refusal(.offsetMismatch, "x")
    refusal.offset = 5
    refusal.versions = ["a", "b"]
    #expect(
      text(WireJSON.encode(refusal))
        == #"{"code":"offset-mismatch","detail":"x","offset":5,"versions":["a","b"]}"#)
  }

  /// A row of `Tests/Vectors/closeCodes.json`: the JSON text of a reason.
  struct ReasonVector: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let code: UInt16
    let text: String

    var testDescription: String { name }
  }

  private struct CloseCodeVectors: Decodable {
    let reasons: [ReasonVector]
  }

  static let vectors = (Vectors.load("closeCodes") as CloseCodeVectors).reasons

  static let reasons: [String: CloseReason] = [
    "left": .left, "protocolError": .protocolError, "notJoined": .notJoined, "badEntry": .badEntry,
    "badRequests": .badRequests, "messageTooLarge(limit: 65536)": .messageTooLarge(limit: 65_536),
    "restarting(retryAfterMs: 500)": .restarting(retryAfterMs: 500),
    "tryAgainLater(tooMany, retryAfterMs: 5000)": .tryAgainLater(.tooMany, retryAfterMs: 5_000),
    "noJoin": .noJoin, "unknownSession": .unknownSession,
    "sessionFull(limit: 1000)": .sessionFull(limit: 1_000),
    "unresponsive": .unresponsive, "resumedElsewhere": .resumedElsewhere, "ended": .ended,
    "tooSlow": .tooSlow,
    "unsupportedVersion": .unsupportedVersion(),
    "rateLimitExceeded(retryAfterMs: 250)": .rateLimitExceeded(retryAfterMs: 250),
  ]

  @Test("PROTOCOL 2.2: each close reason has its close code and its JSON", arguments: vectors)
  func closeReasons(_ vector: ReasonVector) throws {
    let reason = try #require(Self.reasons[vector.name])
    #expect(reason.code == vector.code)
    #expect(text(reason.payloadReason()) == vector.text)
    #expect(vector.text.utf8.count <= CloseReason.maximumReasonLength)
  }

  @Test("PROTOCOL 2.2: each close reason is in the vectors")
  func allCloseReasons() {
    #expect(Self.reasons.keys.sorted() == Self.vectors.map(\.name).sorted())
  }

  @Test(
    "RFC 6455 §5.5: a close reason is JSON of at most 123 bytes; a longer text in it is truncated between characters",
    arguments: ["x", "é", "€", "😀", "\"", "\\", "\n", "\u{1}", "e\u{301}"])
  func longDetail(_ unit: String) throws {
    for count in 0..<130 {
      let detail = String(repeating: "a", count: count % 5) + String(repeating: unit, count: count)
      let reason = CloseReason(
        1013, .unavailable, detail, retryAfterMs: .max, limit: UInt64(count), versions: ["v"])
      let bytes = reason.payloadReason()
      #expect(bytes.count <= 123)
      #expect(String(validating: bytes, as: UTF8.self) != nil)
      let read = try WireJSON.decode(Read.self, from: bytes.span)
      #expect(read.code == "unavailable")
      #expect(detail.unicodeScalars.starts(with: read.detail.unicodeScalars))
      #expect(read.retryAfterMs == .max)
    }
  }

  @Test("a close reason that is too long even without its text contains only its error code")
  func noRoom() {
    let versions = [String](repeating: "drawtogether.v1", count: 9)
    let reason = CloseReason(4026, .unsupportedVersion, "x", versions: versions)
    #expect(text(reason.payloadReason()) == #"{"code":"unsupported-version"}"#)
    var long = reason
    long.reasonCode = String(repeating: "x", count: 200)
    #expect(text(long.payloadReason()) == "{}")
  }

  private struct Read: Decodable {
    let code: String
    let detail: String
    let retryAfterMs: UInt64
  }
}
