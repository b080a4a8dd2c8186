import HTTP
import Testing

@Suite("Status codes, RFC 9110 §15")
struct StatusTests {
  @Test(
    "codes and phrases",
    arguments: [
      (.conflict, 409, "Conflict"), (.preconditionFailed, 412, "Precondition Failed"),
      (.contentTooLarge, 413, "Content Too Large"), (.unsupportedMediaType, 415, "Unsupported Media Type"),
      (.unprocessableContent, 422, "Unprocessable Content"),
      (.preconditionRequired, 428, "Precondition Required"), (.checksumMismatch, 460, "Checksum Mismatch"),
      (.serviceUnavailable, 503, "Service Unavailable"), (.insufficientStorage, 507, "Insufficient Storage"),
      (299, 299, ""),
    ] as [(Status, Int, String)])
  func phrases(status: Status, code: Int, phrase: String) {
    #expect(status.code == code)
    #expect(status.reasonPhrase == phrase)
  }
}
