import FoundationEssentials
import Testing
import Wire

/// PROTOCOL 2: control messages of the gateway, compared with literal JSON.
@Suite("PROTOCOL 2: control messages from the gateway")
struct GatewayControlTests {
  /// A message and its text.
  struct Example: Sendable, CustomTestStringConvertible {
    let text: String
    let control: GatewayControl

    var testDescription: String { text }
  }

  static let ada = Participant(
    id: EntryKey(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF).uuid, number: 3, name: "Ada",
    color: "#e4572e")

  static let session = SessionObject(
    id: SessionID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF),
    link: "/s/ABEiM0RVZneImaq7zN3u_w", activity: .standard, createdAt: Date(timeIntervalSince1970: 0),
    participants: 2, sequence: 815)

  static let adaText =
    ##"{"id":"00112233-4455-6677-8899-AABBCCDDEEFF","number":3,"name":"Ada","color":"#e4572e"}"##

  static let sessionText =
    #"{"id":"ABEiM0RVZneImaq7zN3u_w","link":"/s/ABEiM0RVZneImaq7zN3u_w","#
    + #""activity":{"identifier":"drawtogether","title":"Draw Together","type":"generic"},"#
    + #""createdAt":"1970-01-01T00:00:00Z","participants":2,"sequence":815}"#

  static let limitsText =
    #"{"messageBytes":262144,"entriesPerSecond":1000,"bytesPerSecond":4194304,"#
    + #""participantsPerSession":1000,"pastParticipants":10000,"sessions":10000,"#
    + #""sessionsPerAddressPerMinute":30,"sessionsPerAddress":1000,"connections":10000,"connectionsPerAddress":200,"#
    + #""headBytes":32768,"headSeconds":10,"incompleteBytes":268435456,"attachmentBytes":104857600,"#
    + #""metadataBytes":4096,"sessionAttachmentBytes":2147483648,"uploadKeepSeconds":86400,"#
    + #""attachmentsPerSession":1000,"uploads":256,"diskReserveBytes":268435456,"#
    + #""dataBytes":1099511627776,"dataBytesPerAddress":10737418240,"sessionLogBytes":268435456,"catchUpTailBytes":4194304,"#
    + #""memoryBytes":2147483648,"unsavedSessionBytes":16777216,"unsavedBytes":268435456,"sessionKeepSeconds":2592000,"#
    + #""sessionIdleSeconds":60,"endedKeepSeconds":604800,"removalDelaySeconds":3600,"joinSeconds":10,"graceSeconds":30,"idleSeconds":60,"#
    + #""bodyStallSeconds":20,"minimumBodyBytesPerSecond":1024,"bodyRateSeconds":30,"messageSeconds":30}"#

  static var refusal: Refusal {
    var refusal = Refusal(.sequenceGap, "Client sequence 7 is due.")
    refusal.clientSequence = 9
    refusal.expected = 7
    return refusal
  }

  static let examples = [
    Example(
      text: #"{"joined":{"participant":\#(adaText),"token":"AAAAAAAAAAAAAAAAAAAAAQ","epoch":"e","#
        + #""sequence":815,"committed":810,"acknowledged":41,"resumed":true,"#
        + #""session":\#(sessionText),"limits":\#(limitsText)}}"#,
      control: .joined(
        Joined(
          participant: ada, token: Token(high: 0, low: 0x4000_0000_0000_0000 >> 62), epoch: "e",
          sequence: 815, committed: 810, acknowledged: 41, resumed: true, session: session,
          limits: Limits()))),
    Example(
      text: #"{"waiting":{"session":\#(sessionText),"participants":[\#(adaText),\#(adaText)]}}"#,
      control: .waiting(Waiting(session: session, participants: [ada, ada]))),
    Example(
      text: #"{"catchUp":{"kind":"snapshot","epoch":"e\"","sequence":0}}"#,
      control: .catchUp(.snapshot, epoch: "e\"", sequence: 0)),
    Example(
      text: #"{"catchUp":{"kind":"tail","epoch":"e","sequence":9007199254740991}}"#,
      control: .catchUp(.tail, epoch: "e", sequence: 9_007_199_254_740_991)),
    Example(text: #"{"caughtUp":{"sequence":10}}"#, control: .caughtUp(sequence: 10)),
    Example(text: #"{"committed":{"sequence":0}}"#, control: .committed(sequence: 0)),
    Example(
      text: #"{"committed":{"sequence":18446744073709551615}}"#, control: .committed(sequence: .max)),
    Example(
      text: #"{"error":{"code":"sequence-gap","detail":"Client sequence 7 is due.","#
        + #""clientSequence":9,"expected":7}}"#, control: .error(refusal)),
  ]

  @Test("a control message is written as the expected JSON and parsed back", arguments: examples)
  func encodes(_ example: Example) throws {
    #expect(text(example.control.encoded()) == example.text)
    let read = try GatewayControl.decode(WireTests.bytes(example.text).span)
    #expect(read == example.control)
  }

  @Test("a truncated message is refused, because it is not JSON", arguments: examples.dropFirst(2))
  func prefixes(_ example: Example) {
    let whole = WireTests.bytes(example.text)
    for count in 0..<whole.count {
      #expect(throws: WireError.notJSON) {
        try GatewayControl.decode(Array(whole.prefix(count)).span)
      }
    }
  }

  @Test(
    "a message of an unknown kind is refused, but unknown members of a known message are ignored",
    arguments: [
      ("{}", WireError.unknownControl), ("[]", .unknownControl), (#"{"new":{}}"#, .unknownControl),
      (#"{"committed":{}}"#, .invalidMember("sequence")),
      (#"{"committed":{"sequence":"1"}}"#, .invalidMember("sequence")),
      (#"{"catchUp":{"kind":"other","epoch":"e","sequence":1}}"#, .invalidMember("kind")),
    ] as [(String, WireError)])
  func refuses(_ text: String, _ error: WireError) throws {
    #expect(throws: error) { try GatewayControl.decode(WireTests.bytes(text).span) }
    let known = try GatewayControl.decode(
      WireTests.bytes(#"{"committed":{"sequence":4,"x":{}},"y":[]}"#).span)
    #expect(known == .committed(sequence: 4))
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
