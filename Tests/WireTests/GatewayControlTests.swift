import FoundationEssentials
import TestSupport
import Testing
import Wire

/// PROTOCOL 2: control messages of the gateway, compared with literal JSON.
@Suite("PROTOCOL 2: control messages from the gateway")
struct GatewayControlTests {
  static let ada = Participant(
    id: EntryKey(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF).uuid, number: 3, name: "Ada",
    color: "#e4572e")

  static let adaText =
    ##"{"id":"00112233-4455-6677-8899-AABBCCDDEEFF","number":3,"name":"Ada","color":"#e4572e"}"##

  static let examples = ControlVectors.file.fromGateway

  @Test("a control message is parsed into the expected values", arguments: examples)
  func decodes(_ example: ControlVector<GatewayMessage>) throws {
    let read = try GatewayControl.decode(WireTests.bytes(example.text.text).span)
    #expect(read == example.message.control)
  }

  @Test("a control message is written as the expected JSON", arguments: examples.filter(\.isWritten))
  func encodes(_ example: ControlVector<GatewayMessage>) throws {
    #expect(text(example.message.control.encoded()) == example.text.text)
  }

  @Test(
    "a truncated message is refused, because it is not JSON",
    arguments: examples.filter { $0.text.text.utf8.count < 200 })
  func prefixes(_ example: ControlVector<GatewayMessage>) {
    let whole = WireTests.bytes(example.text.text)
    for count in 0..<whole.count {
      #expect(throws: WireError.notJSON) {
        try GatewayControl.decode(Array(whole.prefix(count)).span)
      }
    }
  }

  @Test(
    "a message that is not JSON, of an unknown kind, or with an invalid member is refused",
    arguments: ControlVectors.file.refusedFromGateway)
  func refuses(_ refused: RefusedControlVector) throws {
    #expect(refused.refusedBy?.contains("swift") == true)
    let expected = try #require(refused.wireError)
    #expect(throws: expected) { try GatewayControl.decode(WireTests.bytes(refused.text.text).span) }
  }

  @Test("a client reads a payload that is nested as deeply as the gateway accepts, and refuses a deeper one")
  func depth() throws {
    func activity(depth: Int) -> [UInt8] {
      let open = String(repeating: "[", count: depth)
      let close = String(repeating: "]", count: depth)
      return WireTests.bytes(
        #"{"identifier":"i","title":"t","type":"y","payload":\#(open)\#(close),"by":1}"#)
    }
    #expect(throws: Never.self) { try ActivityPayload.decode(activity(depth: 30).span) }
    #expect(throws: WireError.notJSON) { try ActivityPayload.decode(activity(depth: 40).span) }
    #expect(throws: WireError.notJSON) { try ActivityPayload.decode(activity(depth: 5_000).span) }
    let deep = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
    #expect(throws: WireError.notJSON) {
      try ClientControl.decode(WireTests.bytes(#"{"activity":{"payload":\#(deep)}}"#).span)
    }
    #expect(throws: WireError.notJSON) {
      try ClientControl.decode([UInt8](repeating: UInt8(ascii: "["), count: 65_536).span)
    }
  }
}

/// PROTOCOL 3.3: the payloads of system entries, compared with literal JSON.
@Suite("PROTOCOL 3.3: system entries")
struct SystemPayloadTests {
  let ada = GatewayControlTests.ada
  let adaText = GatewayControlTests.adaText

  @Test("the JSON of a `participants` payload omits empty arrays")
  func participants() throws {
    let gone = Departure(id: ada.id, number: 3, reason: .gone)
    let all = ParticipantsPayload(
      joined: [ada], left: [gone], changed: [ada], waiting: [ada], past: [ada])
    let expected =
      #"{"joined":[\#(adaText)],"#
      + #""left":[{"id":"00112233-4455-6677-8899-AABBCCDDEEFF","number":3,"reason":"gone"}],"#
      + #""changed":[\#(adaText)],"waiting":[\#(adaText)],"past":[\#(adaText)]}"#
    #expect(text(all.encoded()) == expected)
    let read = try ParticipantsPayload.decode(WireTests.bytes(expected).span)
    #expect(read == all)
    #expect(text(ParticipantsPayload().encoded()) == "{}")
    let empty = try ParticipantsPayload.decode(WireTests.bytes("{}").span)
    #expect(empty == ParticipantsPayload())
  }

  @Test("the payloads `activity`, `newSession` and `notice` are written as expected and parsed back")
  func others() throws {
    let activity = ActivityPayload(
      activity: Activity(
        identifier: "i", title: "t", type: "y", payload: .object(["b": .number(0.25), "a": .integer(1)])),
      by: 4)
    let activityText = #"{"identifier":"i","title":"t","type":"y","payload":{"a":1,"b":0.25},"by":4}"#
    #expect(text(activity.encoded()) == activityText)
    let readActivity = try ActivityPayload.decode(WireTests.bytes(activityText).span)
    #expect(readActivity == activity)

    let next = NewSessionPayload(session: SessionID(high: 0, low: 0), by: 1)
    #expect(text(next.encoded()) == #"{"session":"AAAAAAAAAAAAAAAAAAAAAA","by":1}"#)
    let readNext = try NewSessionPayload.decode(next.encoded().span)
    #expect(readNext == next)

    let notice = NoticePayload(.sessionQuota, "Nearly full.", limit: 10, actual: 9)
    let noticeText = #"{"code":"session-quota","detail":"Nearly full.","limit":10,"actual":9}"#
    #expect(text(notice.encoded()) == noticeText)
    let readNotice = try NoticePayload.decode(WireTests.bytes(noticeText).span)
    #expect(readNotice == notice)
  }

  @Test("the types of system entries are those of the protocol")
  func types() {
    #expect(ParticipantsPayload.type == "participants")
    #expect(ActivityPayload.type == "activity")
    #expect(NewSessionPayload.type == "newSession")
    #expect(NoticePayload.type == "notice")
    #expect(SystemType.attachment == "attachment")
    #expect(SystemType.attachmentProgress == "attachmentProgress")
  }
}
