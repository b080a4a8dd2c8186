import HTTP
import Testing

@Suite("Requests, RFC 9112")
struct RequestReaderTests {
  @Test("§2.1 a request with a body, and the next one behind it")
  func pipelining() throws {
    let text =
      "POST /a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nxyzGET /d HTTP/1.1\r\nHost: h\r\n\r\n"
    let first = try #require(
      RequestHead(.post, "/a?b=c", fields: ["Host": "h", "Content-Length": "3"]))
    let second = try #require(RequestHead(.get, "/d", fields: ["Host": "h"]))
    let expected: [Reading.Event] = [.head(first), .body(Array("xyz".utf8)), .end, .head(second), .end]
    for length in [Int.max, 1, 2, 3, 7] {
      let reading = Reading(Array(text.utf8), pieces: length)
      #expect(reading.error == nil)
      #expect(reading.joined == expected)
    }
  }
}
