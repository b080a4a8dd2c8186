import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("3: what a participant's side tells")
struct BeingToldTests {
  @Test("each entry is new once, over tails, snapshots and epochs")
  func exactlyOnce() {
    var side = Side.live()
    let kept = EntryFlags(.reliable, retention: .append)
    let key = EntryKey(high: 1, low: 1)
    side.give(side.entry(2, 1, "a", flags: kept, key: key) + side.entry(2, 3, "b"))
    side.snapshot(
      entries: Side.entry(2, 1, "a", flags: kept, key: key, at: 11)
        + Side.entry(2, 4, "c", flags: kept, key: key, at: 13))
    side.breaks()
    side.open()
    side.joined(epoch: "f", resumed: true)
    side.snapshot(epoch: "f", entries: Side.entry(2, 1, "a", flags: kept, key: key, at: 3))
    side.give(Side.entry(2, 3, "b", at: 11) + Side.entry(2, 5, "d", at: 12))
    #expect(
      side.told.filter { $0.hasPrefix("Bob") } == [
        "Bob: a", "Bob: b", "Bob: a, again", "Bob: c", "Bob: a, again", "Bob: b, again", "Bob: d",
      ])
  }

  @Test("the source is known of those who left too, and of whom nothing was told the number")
  func sources() {
    var side = Side.live()
    let left = ParticipantsPayload(left: [Departure(id: Side.bob.id, number: 2, reason: .gone)])
    side.give(Side.system(ParticipantsPayload.type, left.encoded(), at: 11))
    let eve = Participant(id: UUID(), number: 3, name: "Eve", color: "#0000ff")
    side.sequence = 20
    side.snapshot(
      [Side.ada], past: [eve],
      entries: Side.entry(2, 1, at: 12) + Side.entry(3, 1, at: 13) + Side.entry(9, 1, at: 14))
    #expect(side.told.filter { $0.hasSuffix(": x") } == ["Bob: x", "Eve: x", "Participant 9: x"])
  }

  @Test("an unreliable entry of one's own is no news; others' are")
  func unreliable() {
    var side = Side.live()
    side.give(Side.entry(1, 0, "a", flags: [], at: 0) + Side.entry(2, 0, "b", flags: [], at: 0))
    side.give(Side.entry(2, 0, "b", flags: [], at: 0))
    #expect(side.told == ["Bob: b", "Bob: b"])
  }

  @Test("people are told as a whole, when it has changed, and not in the middle of a catch-up")
  func people() {
    var side = Side.live()
    let eve = Participant(id: UUID(), number: 3, name: "Eve", color: "#0000ff")
    func tell(_ payload: ParticipantsPayload) {
      side.give(Side.system(ParticipantsPayload.type, payload.encoded(), at: 11))
    }
    tell(ParticipantsPayload(waiting: [eve]))
    tell(ParticipantsPayload(joined: [eve]))
    tell(ParticipantsPayload(joined: [eve]))
    var dave = Side.bob
    dave.name = "Dave"
    tell(ParticipantsPayload(changed: [dave]))
    tell(ParticipantsPayload(left: [Departure(id: eve.id, number: 3, reason: .left)]))
    side.snapshot([Side.ada, dave])
    #expect(
      side.told == [
        #"here ["Ada", "Bob"] waiting ["Eve"]"#, #"here ["Ada", "Bob", "Eve"] waiting []"#,
        #"here ["Ada", "Dave", "Eve"] waiting []"#, #"here ["Ada", "Dave"] waiting []"#, "snapshot",
        "caught up",
      ])
  }

  @Test("attachments: the whole list when one changed; progress; gone, under its key for clients too")
  func attachments() {
    var side = Side.live()
    func object(_ name: String, _ state: AttachmentObject.State) -> AttachmentObject {
      AttachmentObject(
        id: EntryKey(high: 4, low: UInt64(name.utf8.count)).uuid, name: name, contentType: "image/png",
        size: 3,
        sha256: nil, metadata: nil, participant: 2, state: state, offset: 0,
        createdAt: Date(timeIntervalSince1970: 0), url: "/x")
    }
    func tell(_ object: AttachmentObject) {
      side.give(
        Side.system(
          AttachmentObject.type, object.encoded(),
          flags: EntryFlags([.reliable, .system], retention: .replace),
          key: EntryKey(object.id), at: 11))
    }
    tell(object("a", .uploading))
    tell(object("bb", .uploading))
    let progress = AttachmentProgressPayload(id: object("a", .ready).id, offset: 2, size: 3)
    side.give(Side.system(AttachmentProgressPayload.type, progress.encoded(), flags: .system))
    tell(object("a", .ready))
    let key = EntryKey(object("a", .ready).id)
    let gone = EntryFlags([.reliable, .system], retention: .remove)
    side.give(Side.system(AttachmentObject.type, [], flags: gone, key: key, at: 12))
    side.give(Side.entry(0, 0, "", flags: EntryFlags(.reliable, retention: .remove), key: key, at: 13))
    #expect(
      side.told == [
        #"attachments ["a uploading"]"#, #"attachments ["a uploading", "bb uploading"]"#, "progress 2",
        #"attachments ["a ready", "bb uploading"]"#, #"attachments ["bb uploading"]"#, "Gateway: ",
      ])
    side.forget()
    side.snapshot()
    #expect(side.told == ["snapshot", "attachments []", "caught up"])
  }

  @Test("a successor and what the gateway notes are told")
  func successor() {
    var side = Side.live()
    let id = SessionID(high: 3, low: 4)
    side.give(
      Side.system(NewSessionPayload.type, NewSessionPayload(session: id, by: 2).encoded(), at: 11)
        + Side.system(NoticePayload.type, NoticePayload(.saved, "again").encoded(), at: 12))
    #expect(side.told == ["successor \(id.text) by 2", "notice saved"])
  }

  @Test("what later versions may say is passed over")
  func unknown() {
    var side = Side.live()
    for text in ["[]", #"{"news":{}}"#, #"{"error":{"code":"tired","detail":"x","clientSequence":1}}"#] {
      side.session.received(text: Array(text.utf8).span, now: side.now)
    }
    side.give(
      Side.system("weather", Array("{}".utf8), at: 11) + Side.system("participants", Array("[]".utf8), at: 12)
        + side.entry(2, 1, "a"))
    #expect(side.told == ["Bob: a"])
    #expect(side.opens == [])
  }

  @Test(
    "what no gateway says asks for another socket, later each time",
    arguments: [
      "", "{", #"{"committed":{"sequence":-1}}"#,
      #"{"catchUp":{"kind":"half","epoch":"e","sequence":1}}"#,
    ])
  func faults(text: String) {
    var side = Side.live()
    for _ in 0..<3 {
      side.session.received(text: Array(text.utf8).span, now: side.now)
      side.take()
      side.open()
      side.joined(resumed: true)
      side.snapshot()
    }
    let delays = side.opens
    #expect(delays.count == 3)
    #expect(delays == delays.sorted())
    #expect(delays.allSatisfy { $0 > .milliseconds(100) })
  }

  @Test(
    "any bytes at all: it never traps, and goes on with the next socket",
    arguments: 1...40 as ClosedRange<UInt64>)
  func anything(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var side = Side.live()
    side.send("a", "b", "c")
    for _ in 0..<60 {
      var bytes: [UInt8] = []
      switch random.next() % 5 {
      case 0: bytes = (0..<random.next() % 60).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      case 1:
        bytes = Side.entry(
          UInt32(truncatingIfNeeded: random.next()), UInt32(truncatingIfNeeded: random.next()),
          flags: EntryFlags(rawValue: UInt8(truncatingIfNeeded: random.next())), at: random.next())
      case 2:
        let type = ["participants", "activity", "attachment", "newSession", "notice"][Int(random.next() % 5)]
        bytes = Side.system(
          type, Array(#"{"joined":[{"number":99999999999}],"by":-1}"#.utf8), at: random.next())
      case 3:
        side.refuse(
          ErrorCode.allCases[Int(random.next() % UInt64(ErrorCode.allCases.count))],
          random.next() % 3 == 0 ? nil : UInt32(truncatingIfNeeded: random.next() % 6),
          retryAfterMs: random.next(), expected: UInt32(truncatingIfNeeded: random.next() % 6))
      default:
        let sequence = random.next()
        let control: [GatewayControl] = [
          .caughtUp(sequence: sequence), .committed(sequence: sequence),
          .catchUp(.tail, epoch: "e", sequence: sequence),
          .catchUp(.snapshot, epoch: "e", sequence: sequence),
        ]
        side.say(control[Int(random.next() % 4)])
      }
      if !bytes.isEmpty {
        if random.next() % 4 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
        side.give(bytes)
      }
      side.pass(.milliseconds(Int64(random.next() % 1000)))
      guard !side.opens.isEmpty else { continue }
      side.forget()
      side.open()
      side.joined(acknowledged: UInt32(truncatingIfNeeded: random.next()), resumed: random.next() % 2 == 0)
      side.snapshot()
    }
    side.breaks()
    side.open()
    side.joined(as: Participant(id: UUID(), number: 77, name: "Ada", color: "#ff0000"))
    side.snapshot()
    side.forget()
    side.give(Side.entry(50_000, 1, "still here", at: 11))
    #expect(side.told == ["Participant 50000: still here"])
  }
}
