import SessionCore
import Storage
import Testing
import Wire

@testable import Gateway

@Suite("A request for a history asks for the overview, a range of sequences, or a state")
struct HistoryRequestTests {
  @Test("valid queries are parsed, and unknown names are ignored")
  func valid() throws {
    #expect(try HistoryRequest(query: nil) == .overview)
    #expect(try HistoryRequest(query: "") == .overview)
    #expect(try HistoryRequest(query: "from=0&to=9007199254740991") == .entries(0...(1 << 53 - 1), tag: nil))
    #expect(try HistoryRequest(query: "to=7&from=5&x=y&tag=0123abcd") == .entries(5...7, tag: "0123abcd"))
    #expect(try HistoryRequest(query: "state=12") == .state(12, tag: nil))
  }

  @Test(
    "any other query is refused",
    arguments: [
      "from=1", "to=1", "from=2&to=1", "from=1&to=x", "from=-1&to=1", "from=1&to=9007199254740992", "from",
      "state=1&from=1&to=2", "state=", "from=1&to=2&tag=1", "from=1&to=99999999999999999999",
    ])
  func malformed(_ query: String) throws {
    let refusal = #expect(throws: Refusal.self) { _ = try HistoryRequest(query: query) }
    #expect(refusal?.code == .badRequest)
  }

  @Test("a history with many parts has at most 512 buckets, which cover all entries")
  func buckets() throws {
    var summary = HistoryOverview.Summary()
    for sequence in 1...2_000 as ClosedRange<UInt64> {
      let groups = try HistoryGroup.groups(
        inRun: Self.run(sequence, sender: ParticipantNumber(sequence % 20 + 1)).span, after: 0,
        time: 1_000 * sequence)
      for group in groups { summary.add(HistoryOverview.Bucket(group)) }
      #expect(summary.buckets.count <= 512)
    }
    let overview = HistoryOverview([], summary, through: 2_000)
    #expect(overview.buckets.count == 500)
    #expect(overview.buckets[0].first == 1 && overview.buckets[0].last == 4)
    #expect(overview.buckets[0].firstTime == 1_000 && overview.buckets[0].lastTime == 4_000)
    #expect(overview.buckets.reduce(0) { $0 + $1.entryCount } == 2_000)
    for (bucket, next) in zip(overview.buckets, overview.buckets.dropFirst()) {
      #expect(next.first == bucket.last + 1)
    }
    #expect(overview.senders == Set(1...20))
  }

  @Test("the overview is JSON with rows for states, chunks and buckets")
  func json() throws {
    let pieces = [
      HistoryPiece(kind: .chunk, first: 1, last: 9, byteCount: 300, tag: 0xAB),
      HistoryPiece(kind: .state, first: 9, last: 9, byteCount: 200, tag: 0xCD),
    ]
    let group = try HistoryGroup.groups(inRun: Self.run(10, sender: 3).span, after: 9, time: nil)
    let person = Participant(
      id: EntryKey(high: 0, low: 1).uuid, number: 3, name: "Ada", color: "#112233")
    var summary = HistoryOverview.Summary()
    for one in group { summary.add(HistoryOverview.Bucket(one)) }
    let text = String(
      decoding: HistoryOverview(pieces, summary, through: 10).encoded([person]), as: UTF8.self)
    #expect(
      text
        == #"{"through":10,"stored":9,"states":[[0,null,0],[9,"000000cd",200]],"#
        + #""chunks":[[1,9,"000000ab",300]],"buckets":[[10,10,null,null,1,[3,1]]],"#
        + #""participants":[{"id":"00000000-0000-0000-0000-000000000001","number":3,"#
        + ##""name":"Ada","color":"#112233"}]}"##
    )
  }

  /// Returns the body of a run with one entry that replaces the entries of a key.
  private static func run(_ sequence: UInt64, sender: ParticipantNumber) -> [UInt8] {
    var entry: [UInt8] = []
    GatewayEntry.append(
      to: &entry, flags: EntryFlags(.reliable, retention: .replace), sequence: sequence, sender: sender,
      clientSequence: 1, key: .zero, type: "T".utf8.span, payload: [UInt8]().span)
    var body: [UInt8] = []
    body.append(bigEndian: UInt32(entry.count))
    body.append(bigEndian: UInt32.max)
    return body + entry
  }
}
