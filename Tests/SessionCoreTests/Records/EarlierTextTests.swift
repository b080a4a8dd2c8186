import FoundationEssentials
import Primitives
import SessionCore
import Testing
import Wire

@Suite("Records of earlier versions can still be read")
struct EarlierTextTests {
  /// A text with more combining characters in a row than a client may send now.
  private let text = "a" + String(repeating: "\u{315}", count: 2 * JSONParser.maximumCombining)

  @Test("a stored activity is read, even if its text would be refused in a new message of a client")
  func activity() throws {
    let activity = Activity(identifier: "i", title: "t", type: "generic", payload: .string(text))
    let facts = SessionHeaderRecord(
      id: SessionID(high: 0, low: 1), epoch: "e", createdAt: Date(timeIntervalSince1970: 0),
      activity: activity, activityBy: 0)
    #expect(try SessionHeaderRecord(facts.encoded.body.span) == facts)
  }

  @Test("a stored attachment is read, even if its metadata would be refused in a new request of a client")
  func attachment() throws {
    let payload = Array(
      """
      {"id":"00000000-0000-0000-0000-000000000000","name":"a","contentType":"b","state":"uploading",\
      "offset":0,"createdAt":"1970-01-01T00:00:00Z","url":"/","metadata":"\(text)"}
      """.utf8)
    let object = try AttachmentObject(stored: payload.span, key: .zero)
    #expect(object.metadata?.text == Array("\"\(text)\"".utf8))
  }
}
