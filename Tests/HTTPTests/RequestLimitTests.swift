import HTTP
import Testing

@Suite("A request that exceeds a limit is refused with the HTTP status for that limit")
struct RequestLimitTests {
  private func limits(_ change: (inout RequestLimits) -> Void) -> RequestLimits {
    var limits = RequestLimits()
    change(&limits)
    return limits
  }

  /// Checks that `fits` is read completely and that the last byte of `exceeds` is refused. Passes the bytes to the reader in one
  /// piece and in several pieces.
  private func expect(
    _ error: MessageError, status: Int, limits: RequestLimits, fits: String, exceeds: String
  ) {
    #expect(error.status.code == status)
    let (good, bad) = (latin1(fits), latin1(exceeds))
    for length in [Int.max, 1, 3] {
      let reading = Reading(good, pieces: length, limits: limits)
      #expect(reading.error == nil)
      #expect(reading.joined.last == .end)
      #expect(Reading(bad, pieces: length, limits: limits).error == error)
    }
    #expect(Reading(Array(bad.dropLast()), limits: limits).error == nil)
    #expect(Reading(bad + latin1("x\r\n\r\n"), limits: limits).rest == 5)
  }

  @Test("414: a request line that is one byte longer than its limit is refused")
  func requestLine() {
    expect(
      .requestLineTooLong(limit: 20), status: 414, limits: limits { $0.requestLineBytes = 20 },
      fits: "GET /abcdef HTTP/1.1\r\nHost: h\r\n\r\n", exceeds: "GET /abcdefg HTTP/1.1")
  }

  @Test("431: a head that is one byte longer than its limit is refused")
  func head() {
    let head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"  // 27 bytes
    let longer = "GET / HTTP/1.1\r\nHost: hi\r\n\r\n"
    expect(
      .headTooLarge(limit: 27), status: 431, limits: limits { $0.headBytes = 27 }, fits: head,
      exceeds: longer)
  }

  @Test("the limit of the head applies to each request separately")
  func headOfTheNext() {
    let head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    let reading = Reading(latin1(head + head + head), limits: limits { $0.headBytes = 27 })
    #expect(reading.error == nil)
    #expect(reading.events.count == 6)
  }

  @Test("431: one field above the maximum number is refused")
  func fieldCount() {
    let line = "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n"
    expect(
      .tooManyFields(limit: 2), status: 431, limits: limits { $0.fieldCount = 2 },
      fits: line + "\r\n",
      exceeds: line + "C")
  }

  @Test("431: a field that is one byte longer than its limit is refused")
  func field() {
    let line = "GET / HTTP/1.1\r\nHost: h\r\n"
    expect(
      .fieldTooLarge(limit: 6), status: 431, limits: limits { $0.fieldBytes = 6 },
      fits: line + "ABC: def\r\nABCDEF:\r\n\r\n", exceeds: line + "ABC: defg")
    expect(
      .fieldTooLarge(limit: 6), status: 431, limits: limits { $0.fieldBytes = 6 },
      fits: line + "\r\n", exceeds: line + "ABCDEFG")
  }

  private static let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test("431: trailers that are too long, or have too many fields, are refused")
  func trailers() {
    // "A: b" and its line end have six bytes; the last line end has two.
    expect(
      .trailersTooLarge(limit: 8), status: 431, limits: limits { $0.trailerBytes = 8 },
      fits: Self.chunked + "0\r\nA: b\r\n\r\n", exceeds: Self.chunked + "0\r\nA: bc\r\n\r\n")
    expect(
      .tooManyFields(limit: 2), status: 431, limits: limits { $0.fieldCount = 2 },
      fits: Self.chunked + "0\r\nA: b\r\nC:\r\n\r\n", exceeds: Self.chunked + "0\r\nA: b\r\nC:\r\nD")
  }

  @Test("400: chunk extensions are refused if their total length in all chunks exceeds the limit")
  func chunkExtensions() {
    expect(
      .chunkExtensionsTooLong(limit: 4), status: 400,
      limits: limits { $0.chunkExtensionBytes = 4 },
      fits: Self.chunked + "1;ab\r\nx\r\n0;cd\r\n\r\n", exceeds: Self.chunked + "1;ab\r\nx\r\n1;cde")
  }

  @Test("413: a Content-Length above the limit is refused before any content is returned")
  func length() {
    let limits = limits { $0.bodyBytes = 3 }
    let fits = Reading(latin1("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"), limits: limits)
    #expect(fits.joined.last == .end)
    let exceeds = Reading(
      latin1("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nabcd"), limits: limits)
    #expect(exceeds.error == .bodyTooLarge(limit: 3, actual: 4))
    #expect(exceeds.error?.status == .contentTooLarge)
    #expect(exceeds.events.count == 1)  // the event is the head, which the caller needs for its answer
    #expect(exceeds.rest == 4)
  }

  @Test(
    "413: a Content-Length that does not fit into an integer is refused",
    arguments: ["9223372036854775807", "9223372036854775808", "99999999999999999999999999"])
  func hugeLength(_ digits: String) {
    let reading = Reading(latin1("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(digits)\r\n\r\n"))
    #expect(reading.error == .bodyTooLarge(limit: 1_048_576, actual: .max))
  }

  @Test("413: a chunked body is refused at the chunk size that exceeds the limit")
  func chunks() {
    expect(
      .bodyTooLarge(limit: 20, actual: 21), status: 413, limits: limits { $0.bodyBytes = 20 },
      fits: Self.chunked + "4\r\nabcd\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n",
      exceeds: Self.chunked + "4\r\nabcd\r\n11")
  }

  @Test(
    "413: a chunk size that does not fit into an integer is refused",
    arguments: ["7fffffffffffffff", "8000000000000000", "ffffffffffffffff"])
  func hugeChunk(_ size: String) {
    let reading = Reading(latin1(Self.chunked + size), limits: limits { $0.bodyBytes = .max - 1 })
    #expect(reading.error == .bodyTooLarge(limit: .max - 1, actual: .max))
  }

  @Test("a body limit that is set after the head of a request was read applies only to this request")
  func limitOfOneBody() throws {
    var reader = RequestReader(limits: limits { $0.bodyBytes = 2 })
    let bytes = latin1("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
    var position = 0
    _ = try reader.next(in: bytes.span, at: &position)
    reader.bodyLimit = 3
    #expect(try reader.next(in: bytes.span, at: &position) == .body(46..<49))
    #expect(try reader.next(in: bytes.span, at: &position) == .end)
    position = 0
    _ = try reader.next(in: bytes.span, at: &position)
    #expect(throws: MessageError.bodyTooLarge(limit: 2, actual: 3)) {
      try reader.next(in: bytes.span, at: &position)
    }
  }
}
