import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("3.1: what a participant's harness sends")
struct SendingTests {
  @Test("what is sent before there is a socket goes in order; together it is one message")
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

  @Test("it is kept until it is on disk, and marks are reached then")
  func keeps() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.mark(1, now: harness.now)
    harness.send("b")
    harness.session.mark(2, now: harness.now)
    harness.take()
    let size = 1 + 1 + 10
    // Told ahead of the entries themselves.
    harness.say(.committed(sequence: 11))
    #expect(harness.session.releasedBytes == 0)
    harness.give(harness.entry(1, 1, "a") + harness.entry(1, 2, "b"))
    #expect(harness.reached == [1])
    #expect(harness.session.releasedBytes == size)
    harness.say(.committed(sequence: 12))
    #expect(harness.reached == [1, 2])
    #expect(harness.told.last == "settled")
    #expect(harness.session.releasedBytes == 2 * size)
    harness.session.mark(3, now: harness.now)
    harness.take()
    #expect(harness.reached == [1, 2, 3])
  }

  @Test("targets are the numbers of those who are here; for nobody nothing is sent")
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
    harness.give(SessionHarness.system(ParticipantsPayload.type, left.encoded(), at: 11))
    harness.forget()
    harness.send("g", to: [SessionHarness.bob.id])
    #expect(harness.sent == [])
    harness.give(SessionHarness.entry(1, 2, "f", at: 12))
    harness.say(.committed(sequence: 12))
    #expect(harness.told.last == "settled")
  }

  @Test("who lags and is told the state anew loses nobody meanwhile for whom something waits")
  func keepsTargetsOverSnapshot() {
    var harness = SessionHarness.live()
    harness.session.canSend(waiting: 1 << 20, now: harness.now)
    harness.send("a", to: [SessionHarness.bob.id])
    harness.send("b", "c")
    harness.say(.catchUp(.snapshot, epoch: "e", sequence: 10))
    harness.session.canSend(waiting: 0, now: harness.now)
    harness.send("d", to: [SessionHarness.bob.id], reliably: false)
    #expect(harness.sent == ["1 a to [2]", "2 b", "3 c", "0 d to [2]"])
    #expect(harness.told == ["snapshot"])
    let ada = ParticipantsPayload(joined: [SessionHarness.ada])
    harness.give(SessionHarness.system(ParticipantsPayload.type, ada.encoded()))
    harness.say(.caughtUp(sequence: 10))
    harness.forget()
    harness.send("e", to: [SessionHarness.bob.id])
    #expect(harness.sent == [], "now it is known that he left")
  }

  @Test("what is unreliable goes now or never")
  func fleeting() {
    var harness = SessionHarness()
    harness.session.join(now: harness.now)
    harness.send("a", reliably: false)
    harness.open()
    harness.joined()
    harness.send("b", reliably: false)
    harness.snapshot()
    harness.send("c", reliably: false)
    #expect(harness.sent == ["0 c"])
    harness.session.canSend(waiting: 256 * 1024 + 1, now: harness.now)
    harness.send("d", reliably: false)
    #expect(harness.sent == ["0 c"])
    harness.session.canSend(waiting: 256 * 1024, now: harness.now)
    harness.send("e", reliably: false)
    #expect(harness.sent == ["0 c", "0 e"])
  }

  @Test("no more than 256 KiB and one entry wait in the socket")
  func window() {
    var harness = SessionHarness.live()
    let text = String(repeating: "x", count: 100_000)
    for _ in 0..<10 { harness.send(text) }
    #expect(harness.messages.map(\.count).reduce(0, +) == 3 * 100_011)
    harness.session.canSend(waiting: 200_022, now: harness.now)
    harness.take()
    #expect(harness.sent.count == 4)
    harness.session.canSend(waiting: 0, now: harness.now)
    harness.take()
    #expect(harness.sent.count == 7)
  }

  @Test("it sends no faster than the rate: a burst of 1.5 s, then as it comes")
  func pace() {
    var limits = Limits()
    limits.entriesPerSecond = 10
    var harness = SessionHarness()
    harness.session.join(now: harness.now)
    harness.take()
    harness.open()
    harness.joined(limits: limits)
    for _ in 0..<30 { harness.send("x") }
    harness.snapshot()
    #expect(harness.sent.count == 15)
    #expect(harness.session.deadline == harness.now + .milliseconds(100))
    harness.pass(.milliseconds(100))
    #expect(harness.sent.count == 16)
    harness.pass(.milliseconds(500))
    #expect(harness.sent.count == 21)
    harness.refuse(.rateLimited, 1, retryAfterMs: 2000)
    harness.pass(.milliseconds(100))
    #expect(
      harness.session.deadline == harness.now + .milliseconds(1900), "a pause takes the place of the pace")
  }

  @Test("an activity goes alone, between what was said before and after it")
  func activity() {
    var harness = SessionHarness.live()
    let change = ActivityChange(title: "New")
    harness.send("a")
    harness.session.change(change, now: harness.now)
    harness.send("b")
    #expect(harness.sent == ["1 a"])
    harness.give(harness.entry(1, 1, "a"))
    #expect(harness.controls == [.activity(change)])
    #expect(harness.sent == ["1 a"])
    harness.refuse(.rateLimited, nil, retryAfterMs: 100)
    harness.pass(.milliseconds(100))
    #expect(harness.controls == [.activity(change), .activity(change)])
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    harness.give(SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 12))
    #expect(harness.told.last == "New by 1")
    #expect(harness.sent == ["1 a", "2 b"])
  }

  @Test("a change of the activity is settled when it is on disk, and numbers count over it")
  func settlesActivity() {
    var harness = SessionHarness.live()
    let change = ActivityChange(title: "New")
    harness.session.change(change, now: harness.now)
    harness.session.mark(1, now: harness.now)
    harness.send("a")
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    harness.give(
      SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 11)
        + SessionHarness.entry(1, 1, "a", at: 12))
    #expect(harness.reached == [])
    harness.breaks()
    harness.send("b")
    harness.forget()
    harness.open()
    #expect(harness.resume?.next == 1)
    harness.joined(acknowledged: 1, resumed: true)
    harness.tail()
    #expect(harness.controls.count == 1)
    #expect(harness.sent == ["2 b"])
    harness.refuse(.sequenceGap, 2, expected: 2)
    #expect(harness.sent == ["2 b", "2 b"])
    harness.say(.committed(sequence: 11))
    #expect(harness.reached == [1])
    harness.give(SessionHarness.entry(1, 2, "b", at: 13))
    harness.say(.committed(sequence: 13))
    #expect(harness.told.last == "settled")
  }

  @Test("a change of the activity that a crash may have lost goes again, unless it is the state")
  func activityOverCrash() {
    for isState in [true, false] {
      var harness = SessionHarness.live()
      let change = ActivityChange(title: "New")
      harness.session.change(change, now: harness.now)
      harness.session.mark(1, now: harness.now)
      harness.take()
      let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
      harness.give(SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 11))
      harness.send("a")
      harness.breaks()
      harness.forget()
      harness.open()
      harness.sequence = 11
      harness.joined(epoch: "f", committed: 10, resumed: true)
      harness.snapshot(
        epoch: "f", entries: isState ? SessionHarness.system(ActivityPayload.type, mine.encoded()) : [])
      #expect(harness.controls.dropFirst() == (isState ? [] : [.activity(change)]))
      #expect(harness.reached == [])
      if !isState { harness.give(SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 11)) }
      #expect(harness.sent == ["1 a"])
      harness.say(.committed(sequence: 11))
      #expect(harness.reached == [1])
    }
  }

  @Test("after a cut it goes again, unless the tail shows it", arguments: [true, false])
  func activityOverCut(wasTaken: Bool) {
    var harness = SessionHarness.live()
    let change = ActivityChange(title: "New")
    harness.session.change(change, now: harness.now)
    harness.take()
    harness.breaks()
    harness.forget()
    harness.open()
    harness.joined(resumed: true)
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    harness.tail(wasTaken ? SessionHarness.system(ActivityPayload.type, mine.encoded(), at: 11) : [])
    #expect(harness.controls.dropFirst() == (wasTaken ? [] : [.activity(change)]))
  }

  @Test("how one is shown is said at once, and with the next join")
  func profile() {
    var harness = SessionHarness.live()
    harness.session.change(Profile(color: "#123456"), now: harness.now)
    harness.take()
    #expect(harness.controls == [.profile(Profile(name: "Ada", color: "#123456"))])
    harness.breaks()
    harness.session.change(Profile(name: "Eve"), now: harness.now)
    harness.forget()
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
