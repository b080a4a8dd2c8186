import HTTP
import Testing
import TestSupport

@Suite("The bytes of a response can be divided anywhere without a change of the parsed response")
struct ResponseCutTests {
  /// The events that a reader returned for a response, with adjacent pieces of content joined.
  private struct Reading: Equatable {
    var heads: [ResponseHead] = []
    var contents: [[UInt8]] = []
    var error: MessageError?

    init(_ pieces: [ArraySlice<UInt8>], bodyBytes: Int) {
      var limits = RequestLimits()
      limits.bodyBytes = bodyBytes
      var reader = ResponseReader(limits: limits)
      do throws(MessageError) {
        for piece in pieces {
          let piece = Array(piece)
          var position = 0
          while let event = try reader.next(in: piece.span, at: &position) { receive(event, piece) }
        }
        _ = try reader.finish()
      } catch {
        self.error = error
      }
    }

    private mutating func receive(_ event: ResponseReader.Event, _ piece: [UInt8]) {
      switch event {
      case .interim(let head), .head(let head):
        heads.append(head)
        contents.append([])
      case .body(let range):
        contents[contents.count - 1] += piece[range]
      case .end:
        break
      }
    }
  }

  private func pieces(_ bytes: [UInt8], of length: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
  }

  @Test(
    "RFC 9112 §6.3: content that ends when the connection ends is returned up to the limit; more content is refused",
    arguments: [1, 2, 3, 7, 100])
  func untilClose(length: Int) {
    let bytes = latin1("HTTP/1.1 200 OK\r\n\r\nabcdefgh")
    let cut = Reading(pieces(bytes, of: length), bodyBytes: 5)
    #expect(cut.contents == [latin1("abcde")])
    #expect(cut.error == .bodyTooLarge(limit: 5, actual: 6))
    let fitting = Reading(pieces(bytes, of: length), bodyBytes: 8)
    #expect(fitting.contents == [latin1("abcdefgh")])
    #expect(fitting.error == nil)
  }

  @Test(
    "the events of a mutated response do not depend on how its bytes are divided", arguments: UInt64(1)...30)
  func cuts(seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    let texts = [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: x\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\neverything",
    ]
    for _ in 0..<20 {
      var bytes = latin1((0..<3).map { _ in texts[Int.random(in: 0..<4, using: &numbers)] }.joined())
      for _ in 0..<Int.random(in: 0...2, using: &numbers) {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      let whole = Reading([bytes[...]], bodyBytes: 64)
      for length in [1, 2, 5, 16] {
        #expect(Reading(pieces(bytes, of: length), bodyBytes: 64) == whole)
      }
    }
  }
}
