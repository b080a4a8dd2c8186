import HTTP
import Testing
import TestSupport

@Suite("Requests with random faults never crash the request reader")
struct MutationTests {
  private static let limits = {
    var limits = RequestLimits()
    (limits.headBytes, limits.requestLineBytes, limits.fieldBytes, limits.bodyBytes) = (200, 60, 60, 64)
    (limits.fieldCount, limits.chunkExtensionBytes, limits.trailerBytes) = (6, 16, 40)
    return limits
  }()

  /// The texts that a mutation may insert: bytes that determine framing, and strings that are used for request smuggling.
  private static let inserts = [
    "\r", "\n", "\r\n", " ", "\t", ":", ",", ";", "0", "1", "f", "\u{0}", "\u{B}", "\u{7F}", "\u{FF}",
    "\r\n\r\n",
    "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Host: x\r\n", "chunked, ", "ffffffffffffffff",
    "GET / HTTP/1.1\r\n", "0\r\n\r\n",
  ]

  @Test(
    "a mutated request gives the same events for any division of its bytes, and never causes a trap",
    arguments: UInt64(1)...40)
  func cuts(seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let texts = (0..<2).compactMap { _ in RequestReaderTests.accepted.randomElement(using: &numbers)?.bytes
      }
      var bytes = latin1(texts.joined())
      for _ in 0..<Int.random(in: 1...3, using: &numbers) { mutate(&bytes, &numbers) }
      let whole = Reading(bytes, limits: Self.limits)
      for length in [1, 2, 11] {
        let cut = Reading(bytes, pieces: length, limits: Self.limits)
        #expect(cut.joined == whole.joined)
        #expect(cut.error == whole.error)
      }
      for case .body(let content) in whole.joined { #expect(content.count <= Self.limits.bodyBytes) }
    }
  }

  private func mutate(_ bytes: inout [UInt8], _ numbers: inout SeededGenerator) {
    let place = Int.random(in: 0..<bytes.count, using: &numbers)
    switch Int.random(in: 0..<4, using: &numbers) {
    case 0:
      bytes[place] = UInt8.random(in: 0...255, using: &numbers)
    case 1:
      bytes.remove(at: place)
    case 2:
      bytes.replaceSubrange(place..., with: bytes[place...].reversed())
    default:
      bytes.insert(contentsOf: latin1(Self.inserts.randomElement(using: &numbers) ?? ""), at: place)
    }
  }
}
