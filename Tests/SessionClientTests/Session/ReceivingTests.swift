import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("PROTOCOL 3: received entries are reported to the application as events")
struct ReceivingTests {
  @Test("Each entry is reported as new only once, across tails, snapshots and epochs")
  func exactlyOnce() {
    var harness = SessionHarness.live()
    let kept = EntryFlags(.reliable, retention: .append)
    let key = EntryKey(high: 1, low: 1)
    harness.deliver(harness.entry(2, 1, "a", flags: kept, key: key) + harness.entry(2, 3, "b"))
    harness.snapshot(
      entries: SessionHarness.entry(2, 1, "a", flags: kept, key: key, at: 11)
        + SessionHarness.entry(2, 4, "c", flags: kept, key: key, at: 13))
    harness.loseConnection()
    harness.open()
    harness.joined(epoch: "f", resumed: true)
    harness.snapshot(epoch: "f", entries: SessionHarness.entry(2, 1, "a", flags: kept, key: key, at: 3))
    harness.deliver(SessionHarness.entry(2, 3, "b", at: 11) + SessionHarness.entry(2, 5, "d", at: 12))
    #expect(
      harness.events.filter { $0.hasPrefix("Bob") } == [
        "Bob: a", "Bob: b", "Bob: a, again", "Bob: c", "Bob: a, again", "Bob: b, again", "Bob: d",
      ])
  }

  @Test(
    "An entry of a participant that has left has this participant's name; an unknown sender is named by its number"
  )
  func sources() {
    var harness = SessionHarness.live()
    let left = ParticipantsPayload(left: [Departure(id: SessionHarness.bob.id, number: 2, reason: .gone)])
    harness.deliver(SessionHarness.system(ParticipantsPayload.type, left.encoded(), at: 11))
    let eve = Participant(id: UUID(), number: 3, name: "Eve", color: "#0000ff")
    harness.sequence = 20
    harness.snapshot(
      [SessionHarness.ada], past: [eve],
      entries: SessionHarness.entry(2, 1, at: 12) + SessionHarness.entry(3, 1, at: 13)
        + SessionHarness.entry(9, 1, at: 14))
    #expect(harness.events.filter { $0.hasSuffix(": x") } == ["Bob: x", "Eve: x", "Participant 9: x"])
  }

  @Test("A client's own unreliable entries are not reported; those of other participants are reported")
  func unreliable() {
    var harness = SessionHarness.live()
    harness.deliver(
      SessionHarness.entry(1, 0, "a", flags: [], at: 0) + SessionHarness.entry(2, 0, "b", flags: [], at: 0))
    harness.deliver(SessionHarness.entry(2, 0, "b", flags: [], at: 0))
    #expect(harness.events == ["Bob: b", "Bob: b"])
  }

  @Test("A heartbeat, a binary message without entries, reports no event and does not close the connection")
  func heartbeat() {
    var harness = SessionHarness.live()
    let events = harness.events
    harness.deliver([])
    #expect(harness.events == events)
    harness.deliver(harness.entry(2, 1, "a"))
    #expect(harness.events == events + ["Bob: a"])
  }

  @Test("After a change of the participants, the whole list is reported, but not during a catch-up")
  func people() {
    var harness = SessionHarness.live()
    let eve = Participant(id: UUID(), number: 3, name: "Eve", color: "#0000ff")
    func deliver(_ payload: ParticipantsPayload) {
      harness.deliver(SessionHarness.system(ParticipantsPayload.type, payload.encoded(), at: 11))
    }
    deliver(ParticipantsPayload(waiting: [eve]))
    deliver(ParticipantsPayload(joined: [eve]))
    deliver(ParticipantsPayload(joined: [eve]))
    var dave = SessionHarness.bob
    dave.name = "Dave"
    deliver(ParticipantsPayload(changed: [dave]))
    deliver(ParticipantsPayload(left: [Departure(id: eve.id, number: 3, reason: .left)]))
    harness.snapshot([SessionHarness.ada, dave])
    #expect(
      harness.events == [
        #"here ["Ada", "Bob"] waiting ["Eve"]"#, #"here ["Ada", "Bob", "Eve"] waiting []"#,
        #"here ["Ada", "Dave", "Eve"] waiting []"#, #"here ["Ada", "Dave"] waiting []"#, "snapshot",
        "caught up",
      ])
  }

  @Test("After a change of an attachment, the whole list is reported; progress and removals are reported too")
  func attachments() {
    var harness = SessionHarness.live()
    func object(_ name: String, _ state: AttachmentObject.State) -> AttachmentObject {
      AttachmentObject(
        id: EntryKey(high: 4, low: UInt64(name.utf8.count)).uuid, name: name, contentType: "image/png",
        size: 3,
        sha256: nil, metadata: nil, participant: 2, state: state, offset: 0,
        createdAt: Date(timeIntervalSince1970: 0), url: "/x")
    }
    func deliver(_ object: AttachmentObject) {
      harness.deliver(
        SessionHarness.system(
          AttachmentObject.type, object.encoded(),
          flags: EntryFlags([.reliable, .system], retention: .replace),
          key: EntryKey(object.id), at: 11))
    }
    deliver(object("a", .uploading))
    deliver(object("bb", .uploading))
    let progress = AttachmentProgressPayload(id: object("a", .ready).id, offset: 2, size: 3)
    harness.deliver(SessionHarness.system(AttachmentProgressPayload.type, progress.encoded(), flags: .system))
    deliver(object("a", .ready))
    let key = EntryKey(object("a", .ready).id)
    let gone = EntryFlags([.reliable, .system], retention: .remove)
    harness.deliver(SessionHarness.system(AttachmentObject.type, [], flags: gone, key: key, at: 12))
    harness.deliver(
      SessionHarness.entry(0, 0, "", flags: EntryFlags(.reliable, retention: .remove), key: key, at: 13))
    #expect(
      harness.events == [
        #"attachments ["a uploading"]"#, #"attachments ["a uploading", "bb uploading"]"#, "progress 2",
        #"attachments ["a ready", "bb uploading"]"#, #"attachments ["bb uploading"]"#, "Gateway: ",
      ])
    harness.clear()
    harness.snapshot()
    #expect(harness.events == ["snapshot", "attachments []", "caught up"])
  }

  @Test("A successor session and the gateway's notices are reported")
  func successor() {
    var harness = SessionHarness.live()
    let id = SessionID(high: 3, low: 4)
    harness.deliver(
      SessionHarness.system(NewSessionPayload.type, NewSessionPayload(session: id, by: 2).encoded(), at: 11)
        + SessionHarness.system(NoticePayload.type, NoticePayload(.saved, "again").encoded(), at: 12))
    #expect(harness.events == ["successor \(id.text) by 2", "notice saved"])
  }

  @Test("Messages and entries of unknown types, as in later protocol versions, are ignored")
  func unknown() {
    var harness = SessionHarness.live()
    for text in ["[]", #"{"news":{}}"#, #"{"error":{"code":"tired","detail":"x","clientSequence":1}}"#] {
      harness.session.received(text: Array(text.utf8).span, now: harness.now)
    }
    harness.deliver(
      SessionHarness.system("weather", Array("{}".utf8), at: 11)
        + SessionHarness.system("participants", Array("[]".utf8), at: 12)
        + harness.entry(2, 1, "a"))
    #expect(harness.events == ["Bob: a"])
    #expect(harness.opens == [])
  }

  @Test(
    "Each invalid message causes a reconnect, after a longer delay each time",
    arguments: [
      "", "{", #"{"committed":{"sequence":-1}}"#,
      #"{"catchUp":{"kind":"half","epoch":"e","sequence":1}}"#,
    ])
  func faults(text: String) {
    var harness = SessionHarness.live()
    for _ in 0..<3 {
      harness.session.received(text: Array(text.utf8).span, now: harness.now)
      harness.drainEffects()
      harness.open()
      harness.joined(resumed: true)
      harness.snapshot()
    }
    let delays = harness.opens
    #expect(delays.count == 3)
    #expect(delays == delays.sorted())
    #expect(delays.allSatisfy { $0 > .milliseconds(100) })
  }

  @Test(
    "Arbitrary bytes from a gateway never crash the client, and the client continues on the next socket",
    arguments: 1...40 as ClosedRange<UInt64>)
  func anything(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    for _ in 0..<60 {
      var bytes: [UInt8] = []
      switch random.next() % 5 {
      case 0: bytes = (0..<random.next() % 60).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      case 1:
        bytes = SessionHarness.entry(
          UInt32(truncatingIfNeeded: random.next()), UInt32(truncatingIfNeeded: random.next()),
          flags: EntryFlags(rawValue: UInt8(truncatingIfNeeded: random.next())), at: random.next())
      case 2:
        let type = ["participants", "activity", "attachment", "newSession", "notice"][Int(random.next() % 5)]
        bytes = SessionHarness.system(
          type, Array(#"{"joined":[{"number":99999999999}],"by":-1}"#.utf8), at: random.next())
      case 3:
        harness.refuse(
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
        harness.receive(control[Int(random.next() % 4)])
      }
      if !bytes.isEmpty {
        if random.next() % 4 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
        harness.deliver(bytes)
      }
      harness.advance(by: .milliseconds(Int64(random.next() % 1000)))
      guard !harness.opens.isEmpty else { continue }
      harness.clear()
      harness.open()
      harness.joined(acknowledged: UInt32(truncatingIfNeeded: random.next()), resumed: random.next() % 2 == 0)
      harness.snapshot()
    }
    harness.loseConnection()
    harness.open()
    harness.joined(as: Participant(id: UUID(), number: 77, name: "Ada", color: "#ff0000"))
    harness.snapshot()
    harness.clear()
    harness.deliver(SessionHarness.entry(50_000, 1, "still here", at: 11))
    #expect(harness.events == ["Participant 50000: still here"])
  }
}
