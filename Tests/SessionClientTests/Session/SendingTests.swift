import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("PROTOCOL 3.1: a client sends entries, and keeps them until they are committed")
struct SendingTests {
  @Test("Messages sent before the socket opens are sent in order, in one binary message")
  func waitsForSocket() {
    var harness = SessionHarness()
    harness.session.join(now: harness.now)
    harness.send("a", "b")
    harness.open()
    harness.joined()
    #expect(harness.messages.isEmpty)
    harness.snapshot()
    #expect(harness.sent == ["1 a", "2 b"])
    #expect(harness.messages.count == 1)
    harness.send("c")
    #expect(harness.sent == ["1 a", "2 b", "3 c"])
  }

  @Test(
    "Entries are kept until committed; a mark is reported when all entries sent before the mark are committed"
  )
  func keeps() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.mark(1, now: harness.now)
    harness.send("b")
    harness.session.mark(2, now: harness.now)
    harness.drainEffects()
    let size = 1 + 1 + 10
    // `committed` may arrive before the entries themselves.
    harness.receive(.committed(sequence: 11))
    #expect(harness.session.releasedBytes == 0)
    harness.deliver(harness.entry(1, 1, "a") + harness.entry(1, 2, "b"))
    #expect(harness.reached == [1])
    #expect(harness.session.releasedBytes == size)
    harness.receive(.committed(sequence: 12))
    #expect(harness.reached == [1, 2])
    #expect(harness.events.last == "settled")
    #expect(harness.session.releasedBytes == 2 * size)
    harness.session.mark(3, now: harness.now)
    harness.drainEffects()
    #expect(harness.reached == [1, 2, 3])
  }

  @Test("Targets are sent as participant numbers; an entry without an active target is not sent")
  func targets() {
    var harness = SessionHarness.live()
    let stranger = UUID()
    harness.send("a", to: [SessionHarness.bob.id, stranger])
    harness.send("b", to: [stranger])
    harness.send("c", to: [])
    harness.send("d", to: [SessionHarness.bob.id], reliably: false)
    harness.send("e", to: [stranger], reliably: false)
    harness.send("f")
    #expect(harness.sent == ["1 a to [2]", "0 d to [2]", "2 f"])
    let left = ParticipantsPayload(left: [Departure(id: SessionHarness.bob.id, number: 2, reason: .left)])
    harness.deliver(SessionHarness.system(ParticipantsPayload.type, left.encoded(), at: 11))
    harness.clear()
    harness.send("g", to: [SessionHarness.bob.id])
    #expect(harness.sent == [])
    harness.deliver(SessionHarness.entry(1, 2, "f", at: 12))
    harness.receive(.committed(sequence: 12))
    #expect(harness.events.last == "settled")
  }

  @Test("During a snapshot, entries for participants that the snapshot has not listed yet are still sent")
  func keepsTargetsOverSnapshot() {
    var harness = SessionHarness.live()
    harness.session.setPendingBytes(1 << 20, now: harness.now)
    harness.send("a", to: [SessionHarness.bob.id])
    harness.send("b", "c")
    harness.receive(.catchUp(.snapshot, epoch: "e", sequence: 10))
    harness.session.setPendingBytes(0, now: harness.now)
    harness.send("d", to: [SessionHarness.bob.id], reliably: false)
    #expect(harness.sent == ["1 a to [2]", "2 b", "3 c", "0 d to [2]"])
    #expect(harness.events == ["snapshot"])
    let ada = ParticipantsPayload(joined: [SessionHarness.ada])
    harness.deliver(SessionHarness.system(ParticipantsPayload.type, ada.encoded()))
    harness.receive(.caughtUp(sequence: 10))
    harness.clear()
    harness.send("e", to: [SessionHarness.bob.id])
    #expect(harness.sent == [], "the snapshot shows that Bob left")
  }

  @Test("An unreliable entry is sent immediately or, if that is impossible, dropped")
  func unreliable() {
    var harness = SessionHarness()
    harness.session.join(now: harness.now)
    harness.send("a", reliably: false)
    harness.open()
    harness.joined()
    harness.send("b", reliably: false)
    harness.snapshot()
    harness.send("c", reliably: false)
    #expect(harness.sent == ["0 c"])
    harness.session.setPendingBytes(256 * 1024 + 1, now: harness.now)
    harness.send("d", reliably: false)
    #expect(harness.sent == ["0 c"])
    harness.session.setPendingBytes(256 * 1024, now: harness.now)
    harness.send("e", reliably: false)
    #expect(harness.sent == ["0 c", "0 e"])
  }

  @Test(
    "The client passes entries to the socket until 256 KiB and at most one more entry are pending in the socket"
  )
  func window() {
    var harness = SessionHarness.live()
    let text = String(repeating: "x", count: 100_000)
    for _ in 0..<10 { harness.send(text) }
    #expect(harness.messages.map(\.count).reduce(0, +) == 3 * 100_011)
    harness.session.setPendingBytes(200_022, now: harness.now)
    harness.drainEffects()
    #expect(harness.sent.count == 4)
    harness.session.setPendingBytes(0, now: harness.now)
    harness.drainEffects()
    #expect(harness.sent.count == 7)
  }

  @Test(
    "The client sends a burst of as many entries as the rate limit allows in 1.5 s, and then sends at the rate limit"
  )
  func rateLimit() {
    var limits = Limits()
    limits.entriesPerSecond = 10
    var harness = SessionHarness()
    harness.session.join(now: harness.now)
    harness.drainEffects()
    harness.open()
    harness.joined(limits: limits)
    for _ in 0..<30 { harness.send("x") }
    harness.snapshot()
    #expect(harness.sent.count == 15)
    #expect(harness.session.deadline == harness.now + .milliseconds(100))
    harness.advance(by: .milliseconds(100))
    #expect(harness.sent.count == 16)
    harness.advance(by: .milliseconds(500))
    #expect(harness.sent.count == 21)
    harness.refuse(.rateLimited, 1, retryAfterMs: 2000)
    harness.advance(by: .milliseconds(100))
    #expect(
      harness.session.deadline == harness.now + .milliseconds(1900), "the pause replaces the rate limit")
  }

  @Test(
    "An activity change is sent after the echo of earlier entries; later entries are sent after the echo of the change"
  )
  func activity() {
    var harness = SessionHarness.live()
    let change = ActivityChange(title: "New")
    harness.send("a")
    harness.session.change(change, now: harness.now)
    harness.send("b")
    #expect(harness.sent == ["1 a"])
    harness.deliver(harness.entry(1, 1, "a"))
    #expect(harness.controls == [.activity(change)])
    #expect(harness.sent == ["1 a"])
    harness.refuse(.rateLimited, nil, retryAfterMs: 100)
    harness.advance(by: .milliseconds(100))
    #expect(harness.controls == [.activity(change), .activity(change)])
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    harness.deliver(SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 12))
    #expect(harness.events.last == "New by 1")
    #expect(harness.sent == ["1 a", "2 b"])
  }

  @Test(
    "If `mark(id)` is called after an activity change, the session reports `id` when the change is committed"
  )
  func settlesActivity() {
    var harness = SessionHarness.live()
    let change = ActivityChange(title: "New")
    harness.session.change(change, now: harness.now)
    harness.session.mark(1, now: harness.now)
    harness.send("a")
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    harness.deliver(
      SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 11)
        + SessionHarness.entry(1, 1, "a", at: 12))
    #expect(harness.reached == [])
    harness.loseConnection()
    harness.send("b")
    harness.clear()
    harness.open()
    #expect(harness.resume?.next == 1)
    harness.joined(acknowledged: 1, resumed: true)
    harness.tail()
    #expect(harness.controls.count == 1)
    #expect(harness.sent == ["2 b"])
    harness.refuse(.sequenceGap, 2, expected: 2)
    #expect(harness.sent == ["2 b", "2 b"])
    harness.receive(.committed(sequence: 11))
    #expect(harness.reached == [1])
    harness.deliver(SessionHarness.entry(1, 2, "b", at: 13))
    harness.receive(.committed(sequence: 13))
    #expect(harness.events.last == "settled")
  }

  @Test(
    "An activity change that a gateway crash may have lost is sent again, unless the snapshot contains it")
  func activityOverCrash() {
    for isState in [true, false] {
      var harness = SessionHarness.live()
      let change = ActivityChange(title: "New")
      harness.session.change(change, now: harness.now)
      harness.session.mark(1, now: harness.now)
      harness.drainEffects()
      let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
      harness.deliver(SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 11))
      harness.send("a")
      harness.loseConnection()
      harness.clear()
      harness.open()
      harness.sequence = 11
      harness.joined(epoch: "f", committed: 10, resumed: true)
      harness.snapshot(
        epoch: "f", entries: isState ? SessionHarness.system(ActivityPayload.type, mine.encoded()) : [])
      #expect(harness.controls.dropFirst() == (isState ? [] : [.activity(change)]))
      #expect(harness.reached == [])
      if !isState { harness.deliver(SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 11)) }
      #expect(harness.sent == ["1 a"])
      harness.receive(.committed(sequence: 11))
      #expect(harness.reached == [1])
    }
  }

  @Test(
    "After a lost connection, an activity change is sent again, unless the tail contains it",
    arguments: [true, false])
  func activityOverCut(wasTaken: Bool) {
    var harness = SessionHarness.live()
    let change = ActivityChange(title: "New")
    harness.session.change(change, now: harness.now)
    harness.drainEffects()
    harness.loseConnection()
    harness.clear()
    harness.open()
    harness.joined(resumed: true)
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    harness.tail(wasTaken ? SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 11) : [])
    #expect(harness.controls.dropFirst() == (wasTaken ? [] : [.activity(change)]))
  }

  @Test("A changed profile is sent immediately, and again with the next join")
  func profile() {
    var harness = SessionHarness.live()
    harness.session.change(Profile(color: "#123456"), now: harness.now)
    harness.drainEffects()
    #expect(harness.controls == [.profile(Profile(name: "Ada", color: "#123456"))])
    harness.loseConnection()
    harness.session.change(Profile(name: "Eve"), now: harness.now)
    harness.clear()
    harness.open()
    guard case .join(let join)? = harness.controls.first else {
      Issue.record("no join: \(harness.controls)")
      return
    }
    #expect(join.profile == Profile(name: "Eve", color: "#123456"))
    harness.joined(resumed: true)
    harness.tail()
    #expect(harness.controls.count == 1)
  }
}
