import FoundationEssentials
import Testing

@testable import Wire

/// Texts that are expensive to compare, or that some parsers refuse.
@Suite("JSON: texts that are expensive to compare, or that some parsers refuse")
struct JSONTextTests {
  /// Returns a base character and `count` combining characters in the wrong order.
  private func combining(_ count: Int) -> String {
    "a" + (0..<count).map { $0.isMultiple(of: 2) ? "\u{315}" : "\u{334}" }.joined()
  }

  @Test(
    "too many combining characters in a row are refused, because ordering them takes quadratic time",
    arguments: ["{\"@\":1}", "{\"leave\":{\"@\":1}}", "[\"@\"]", "\"@\"", "\"b@\""])
  func combines(_ form: String) throws {
    func text(_ count: Int) -> [UInt8] {
      bytes(form.split(separator: "@", omittingEmptySubsequences: false).joined(separator: combining(count)))
    }
    _ = try JSONParser.parse(text(JSONParser.maximumCombining).span)
    #expect(throws: WireError.notJSON) { try JSONParser.parse(text(JSONParser.maximumCombining + 1).span) }
    // These characters have combining class 0. Normalisation reorders them nevertheless, because they decompose into two
    // characters of other classes.
    for mark in ["\u{F73}", "\u{F75}", "\u{F81}"] {
      let marks = String(repeating: mark, count: JSONParser.maximumCombining + 1)
      #expect(throws: WireError.notJSON) { try JSONParser.parse(bytes("\"\(marks)\"").span) }
    }
    let escaped = "\"a\(String(repeating: #"\u0315"#, count: JSONParser.maximumCombining + 1))\""
    #expect(throws: WireError.notJSON) { try JSONParser.parse(bytes(escaped).span) }
  }

  @Test("the number of combining characters that are not in a row is unlimited")
  func manyRuns() throws {
    let text = String(repeating: combining(JSONParser.maximumCombining), count: 100)
    #expect(try JSONParser.parse(bytes("\"\(text)\"").span) == .string(text))
    let emoji = String(repeating: "👩🏽‍🚀\u{FE0F}", count: 100)
    #expect(try JSONParser.parse(bytes("\"\(emoji)\"").span) == .string(emoji))
  }

  @Test(
    "an unpaired surrogate in metadata, which strict parsers refuse, becomes U+FFFD",
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

  @Test(
    "a time is written in UTC and whole seconds, as Foundation formats it",
    arguments: [
      (0, #""1970-01-01T00:00:00Z""#), (951_782_399.9, #""2000-02-28T23:59:59Z""#),
      (951_782_400, #""2000-02-29T00:00:00Z""#), (1_709_251_199, #""2024-02-29T23:59:59Z""#),
      (1_735_689_599, #""2024-12-31T23:59:59Z""#), (4_107_542_400, #""2100-03-01T00:00:00Z""#),
      (253_402_300_799, #""9999-12-31T23:59:59Z""#), (-1, #""1969-12-31T23:59:59Z""#),
    ])
  func times(_ seconds: Double, _ written: String) {
    let time = Date(timeIntervalSince1970: seconds)
    var bytes: [UInt8] = []
    bytes.append(jsonString: time)
    #expect(text(bytes) == written)
    #expect("\"\(time.formatted(.iso8601))\"" == written)
  }

  @Test("every eleventh day of eight centuries is written as Foundation formats it")
  func days() {
    for day in stride(from: 0, to: 8 * 36_525, by: 11) {
      let time = Date(timeIntervalSince1970: Double(day) * 86_400 + Double(day % 86_400))
      var bytes: [UInt8] = []
      bytes.append(jsonString: time)
      #expect(text(bytes) == "\"\(time.formatted(.iso8601))\"")
    }
  }

  @Test("bytes that must be escaped are escaped at every position of a text, and other bytes are not")
  func escapes() throws {
    for byte in 0 as UInt8..<0x80 {
      let isEscaped = byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      var faults: [String] = []
      for count in [0, 1, 7, 8, 9, 16, 19] {
        for place in 0...count {
          var text = String(repeating: "ü", count: place / 2) + String(repeating: "~", count: place % 2)
          text.unicodeScalars.append(Unicode.Scalar(byte))
          text += String(repeating: "x", count: count - place)
          var bytes: [UInt8] = []
          bytes.append(jsonString: text)
          let isRight = try JSONParser.parse(bytes.span) == .string(text)
          if !isRight || (bytes.count > text.utf8.count + 2) != isEscaped { faults.append(text) }
        }
      }
      #expect(faults.isEmpty)
    }
  }

  @Test("an accepted payload of an activity can be read in every message that contains it")
  func deepPayload() throws {
    let nested = String(repeating: "[", count: 30) + "1.5" + String(repeating: "]", count: 30)
    let sent = bytes("{\"activity\":{\"payload\":\(nested)}}")
    guard case .activity(let change) = try ClientControl.decode(sent.span) else {
      Issue.record("the parsed message does not change the activity")
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

  @Test("the JSON of a session has the member for network links only if there are links")
  func networkLinks() throws {
    var session = SessionObject(
      id: SessionID(high: 1, low: 2), link: "/s/x", activity: .standard,
      createdAt: Date(timeIntervalSince1970: 0), participants: 1, sequence: 1)
    #expect(!String(decoding: WireJSON.encode(session), as: UTF8.self).contains("networkLinks"))
    session.networkLinks = ["https://192.0.2.7:8443/s/x", "https://[2001:db8::7]:8443/s/x"]
    let encoded = WireJSON.encode(session)
    #expect(
      String(decoding: encoded, as: UTF8.self).contains(
        #""networkLinks":["https://192.0.2.7:8443/s/x","https://[2001:db8::7]:8443/s/x"],"#))
    #expect(try WireJSON.decode(SessionObject.self, from: encoded.span) == session)
  }
}
