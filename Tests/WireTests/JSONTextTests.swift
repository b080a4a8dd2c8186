import FoundationEssentials
import Testing

@testable import Wire

/// Texts that cost more than they look like, or that not everybody can read.
@Suite("JSON: texts")
struct JSONTextTests {
  /// A base and so many combining characters, which stand in the wrong order.
  private func combining(_ count: Int) -> String {
    "a" + (0..<count).map { $0.isMultiple(of: 2) ? "\u{315}" : "\u{334}" }.joined()
  }

  @Test(
    "more combining characters in a row than a person writes are refused: ordering them takes their number squared",
    arguments: ["{\"@\":1}", "{\"leave\":{\"@\":1}}", "[\"@\"]", "\"@\"", "\"b@\""])
  func combines(_ form: String) throws {
    func text(_ count: Int) -> [UInt8] {
      bytes(form.split(separator: "@", omittingEmptySubsequences: false).joined(separator: combining(count)))
    }
    _ = try JSONParser.parse(text(JSONParser.maximumCombining).span)
    #expect(throws: WireError.notJSON) { try JSONParser.parse(text(JSONParser.maximumCombining + 1).span) }
    // In no class, and yet put in an order, for they are made of two that are.
    for mark in ["\u{F73}", "\u{F75}", "\u{F81}"] {
      let marks = String(repeating: mark, count: JSONParser.maximumCombining + 1)
      #expect(throws: WireError.notJSON) { try JSONParser.parse(bytes("\"\(marks)\"").span) }
    }
    let escaped = "\"a\(String(repeating: #"\u0315"#, count: JSONParser.maximumCombining + 1))\""
    #expect(throws: WireError.notJSON) { try JSONParser.parse(bytes(escaped).span) }
  }

  @Test("combining characters between others are as many as anybody likes")
  func manyRuns() throws {
    let text = String(repeating: combining(JSONParser.maximumCombining), count: 100)
    #expect(try JSONParser.parse(bytes("\"\(text)\"").span) == .string(text))
    let emoji = String(repeating: "👩🏽‍🚀\u{FE0F}", count: 100)
    #expect(try JSONParser.parse(bytes("\"\(emoji)\"").span) == .string(emoji))
  }

  @Test(
    "metadata: half a surrogate pair, which strict readers refuse, becomes U+FFFD",
    arguments: [
      (#""\ud83d""#, #""\ufffd""#), (#""\uDE00x""#, #""\ufffdx""#),
      (#""\ud83d\ud83d\ude00""#, #""\ufffd\ud83d\ude00""#),
      (#"{"\ude00":"\ud83d\u0041"}"#, #"{"\ufffd":"\ufffd\u0041"}"#), (#""\\ud83d""#, #""\\ud83d""#),
      (#""\ud66d\ude00""#, #""\ud66d\ufffd""#), (#""\n\uD83D\n""#, #""\n\ufffd\n""#),
    ])
  func halfPairs(_ sent: String, _ kept: String) throws {
    let metadata = try #require(try AttachmentMetadata.parse(bytes(sent).span, limit: 4_096))
    #expect(text(metadata.text) == kept)
    let object = AttachmentObject(
      id: EntryKey.zero.uuid, name: "a", contentType: "b", size: nil, sha256: nil, metadata: metadata,
      participant: nil, state: .uploading, offset: 0, createdAt: Date(timeIntervalSince1970: 0), url: "/")
    let list = try WireJSON.decode(AttachmentList.self, from: WireJSON.encode(AttachmentList([object])).span)
    #expect(list.attachments.count == 1)
  }

  @Test("an activity's payload that a client may send can be read wherever it is told")
  func deepPayload() throws {
    let nested = String(repeating: "[", count: 30) + "1.5" + String(repeating: "]", count: 30)
    let sent = bytes("{\"activity\":{\"payload\":\(nested)}}")
    guard case .activity(let change) = try ClientControl.decode(sent.span) else {
      Issue.record("no change of the activity")
      return
    }
    #expect(throws: WireError.notJSON) {
      try ClientControl.decode(bytes("{\"activity\":{\"payload\":[\(nested)]}}").span)
    }
    let session = SessionObject(
      id: SessionID(high: 1, low: 2), link: "/s/x", activity: Activity.standard.applying(change),
      createdAt: Date(timeIntervalSince1970: 0), participants: 1, sequence: 1)
    let joined = GatewayControl.joined(
      Joined(
        participant: Participant(id: EntryKey.zero.uuid, number: 1, name: "A", color: "#000000"),
        token: Token(high: 1, low: 2), epoch: "e", sequence: 1, committed: 1, acknowledged: 0,
        resumed: false, session: session, limits: Limits()))
    #expect(try GatewayControl.decode(joined.encoded().span) == joined)
  }
}
