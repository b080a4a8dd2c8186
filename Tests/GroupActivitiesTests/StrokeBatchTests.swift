import FoundationEssentials
import SessionClient
import Synchronization
import Testing
import Wire

@testable import GroupActivities

@Suite("A stroke batch of the page is divided into one message for each point", .serialized)
struct StrokeBatchTests {
  /// The messages into which one entry is decoded, and the number of pauses during the decoding.
  private struct Decoding {
    var messages: [Dot] = []
    var pauses = 0

    init(_ text: String, type: String = StrokeBatchSplitter.messageType) {
      var decoder = MessageDecoder<Dot>(type: type, sentPoints: SentStrokePoints())
      var next = decoder.decode(makeEntry(text, type: type, retention: .append, 1))
      while let (message, _) = next {
        messages.append(message)
        if decoder.needsPause() { pauses += 1 }
        next = decoder.next()
      }
    }
  }

  @Test("a message type without `points` receives one message for each point of a batch")
  func dividesBatches() {
    let decoding = Decoding(#"{"color":1,"point":[5,6],"points":[[1,2],[3,4],[5,6]]}"#)
    #expect(decoding.messages.map(\.point) == [[1, 2], [3, 4], [5, 6]])
  }

  @Test("only messages with the type name of the page's strokes are divided into points")
  func leavesOtherTypesAlone() {
    let decoding = Decoding(#"{"color":1,"point":[5,6],"points":[[1,2],[3,4],[5,6]]}"#, type: "Dot")
    #expect(decoding.messages.map(\.point) == [[5, 6]])
  }

  @Test("a batch of 5,001 invalid points yields no message and is decoded at most twice")
  func badPoints() {
    let text =
      #"{"color":1,"point":[1,2],"points":["# + String(repeating: "0,", count: 5_000) + #"0],"x":"y"}"#
    let before = Dot.decodings.load(ordering: .relaxed)
    #expect(Decoding(text).messages.isEmpty)
    #expect(Dot.decodings.load(ordering: .relaxed) - before <= 2)
  }

  @Test(
    "decoding a batch with a large JSON member pauses only if the message type has this member"
  )
  func heavyBatches() {
    let heavy = String(repeating: "y", count: 20_000)
    let points = Array(repeating: "[3,4]", count: 100).joined(separator: ",")
    func decoding(_ member: String) -> Decoding {
      Decoding(#"{"color":1,"point":[1,2],"points":[\#(points)],"\#(member)":"\#(heavy)"}"#)
    }
    let (unknown, known) = (decoding("x"), decoding("name"))
    #expect(unknown.messages.count == 100 && unknown.pauses == 0)
    #expect(known.messages.count == 100 && known.pauses == 1)
  }
}

/// A point of a stroke. The type counts its decodings.
private struct Dot: Codable {
  static let decodings = Atomic(0)
  let color: Int
  let point: [Double]
  let name: String?

  init(from decoder: any Decoder) throws {
    Self.decodings.add(1, ordering: .relaxed)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    color = try container.decode(Int.self, forKey: .color)
    point = try container.decode([Double].self, forKey: .point)
    name = try container.decodeIfPresent(String.self, forKey: .name)
  }
}
