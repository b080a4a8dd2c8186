import HTTP
import Testing

@Suite("Status codes, RFC 9110 §15")
struct StatusTests {
  @Test(
    "each status code has its reason phrase",
    arguments: [
      (409, 409, "Conflict"), (.preconditionFailed, 412, "Precondition Failed"),
      (.contentTooLarge, 413, "Content Too Large"), (415, 415, "Unsupported Media Type"),
      (422, 422, "Unprocessable Content"),
      (428, 428, "Precondition Required"), (460, 460, "Checksum Mismatch"),
      (503, 503, "Service Unavailable"), (507, 507, "Insufficient Storage"),
      (299, 299, ""),
    ] as [(Status, Int, String)])
  func phrases(status: Status, code: Int, phrase: String) {
    #expect(status.code == code)
    #expect(status.reasonPhrase == phrase)
  }
}
