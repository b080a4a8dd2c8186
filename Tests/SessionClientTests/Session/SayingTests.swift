import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("3.1: what a participant's side sends")
struct SayingTests {
  @Test("what is sent before there is a socket goes in order; together it is one message")
  func waitsForSocket() {
    var side = Side()
    side.session.join(now: side.now)
    side.send("a", "b")
    side.open()
    side.joined()
    #expect(side.messages.isEmpty)
    side.snapshot()
    #expect(side.sent == ["1 a", "2 b"])
    #expect(side.messages.count == 1)
    side.send("c")
    #expect(side.sent == ["1 a", "2 b", "3 c"])
  }

  @Test("it is kept until it is on disk, and marks are reached then")
  func keeps() {
    var side = Side.live()
    side.send("a")
    side.session.mark(1, now: side.now)
    side.send("b")
    side.session.mark(2, now: side.now)
    side.take()
    let size = 1 + 1 + 10
    // Told ahead of the entries themselves.
    side.say(.committed(sequence: 11))
    #expect(side.session.releasedBytes == 0)
    side.give(side.entry(1, 1, "a") + side.entry(1, 2, "b"))
    #expect(side.reached == [1])
    #expect(side.session.releasedBytes == size)
    side.say(.committed(sequence: 12))
    #expect(side.reached == [1, 2])
    #expect(side.told.last == "settled")
    #expect(side.session.releasedBytes == 2 * size)
    side.session.mark(3, now: side.now)
    side.take()
    #expect(side.reached == [1, 2, 3])
  }

  @Test("targets are the numbers of those who are here; for nobody nothing is sent")
  func targets() {
    var side = Side.live()
    let stranger = UUID()
    side.send("a", to: [Side.bob.id, stranger])
    side.send("b", to: [stranger])
    side.send("c", to: [])
    side.send("d", to: [Side.bob.id], reliably: false)
    side.send("e", to: [stranger], reliably: false)
    side.send("f")
    #expect(side.sent == ["1 a to [2]", "0 d to [2]", "2 f"])
    let left = ParticipantsPayload(left: [Departure(id: Side.bob.id, number: 2, reason: .left)])
    side.give(Side.system(ParticipantsPayload.type, left.encoded(), at: 11))
    side.forget()
    side.send("g", to: [Side.bob.id])
    #expect(side.sent == [])
    side.give(Side.entry(1, 2, "f", at: 12))
    side.say(.committed(sequence: 12))
    #expect(side.told.last == "settled")
  }

  @Test("who lags and is told the state anew loses nobody meanwhile for whom something waits")
  func keepsTargetsOverSnapshot() {
    var side = Side.live()
    side.session.canSend(waiting: 1 << 20, now: side.now)
    side.send("a", to: [Side.bob.id])
    side.send("b", "c")
    side.say(.catchUp(.snapshot, epoch: "e", sequence: 10))
    side.session.canSend(waiting: 0, now: side.now)
    side.send("d", to: [Side.bob.id], reliably: false)
    #expect(side.sent == ["1 a to [2]", "2 b", "3 c", "0 d to [2]"])
    #expect(side.told == ["snapshot"])
    let ada = ParticipantsPayload(joined: [Side.ada])
    side.give(Side.system(ParticipantsPayload.type, ada.encoded()))
    side.say(.caughtUp(sequence: 10))
    side.forget()
    side.send("e", to: [Side.bob.id])
    #expect(side.sent == [], "now it is known that he left")
  }

  @Test("what is unreliable goes now or never")
  func fleeting() {
    var side = Side()
    side.session.join(now: side.now)
    side.send("a", reliably: false)
    side.open()
    side.joined()
    side.send("b", reliably: false)
    side.snapshot()
    side.send("c", reliably: false)
    #expect(side.sent == ["0 c"])
    side.session.canSend(waiting: 256 * 1024 + 1, now: side.now)
    side.send("d", reliably: false)
    #expect(side.sent == ["0 c"])
    side.session.canSend(waiting: 256 * 1024, now: side.now)
    side.send("e", reliably: false)
    #expect(side.sent == ["0 c", "0 e"])
  }

  @Test("no more than 256 KiB and one entry wait in the socket")
  func window() {
    var side = Side.live()
    let text = String(repeating: "x", count: 100_000)
    for _ in 0..<10 { side.send(text) }
    #expect(side.messages.map(\.count).reduce(0, +) == 3 * 100_011)
    side.session.canSend(waiting: 200_022, now: side.now)
    side.take()
    #expect(side.sent.count == 4)
    side.session.canSend(waiting: 0, now: side.now)
    side.take()
    #expect(side.sent.count == 7)
  }

  @Test("it sends no faster than the rate: a burst of 1.5 s, then as it comes")
  func pace() {
    var limits = Limits()
    limits.entriesPerSecond = 10
    var side = Side()
    side.session.join(now: side.now)
    side.take()
    side.open()
    side.joined(limits: limits)
    for _ in 0..<30 { side.send("x") }
    side.snapshot()
    #expect(side.sent.count == 15)
    #expect(side.session.deadline == side.now + .milliseconds(100))
    side.pass(.milliseconds(100))
    #expect(side.sent.count == 16)
    side.pass(.milliseconds(500))
    #expect(side.sent.count == 21)
    side.refuse(.rateLimited, 1, retryAfterMs: 2000)
    side.pass(.milliseconds(100))
    #expect(side.session.deadline == side.now + .milliseconds(1900), "a pause takes the place of the pace")
  }

  @Test("an activity goes alone, between what was said before and after it")
  func activity() {
    var side = Side.live()
    let change = ActivityChange(title: "New")
    side.send("a")
    side.session.change(change, now: side.now)
    side.send("b")
    #expect(side.sent == ["1 a"])
    side.give(side.entry(1, 1, "a"))
    #expect(side.controls == [.activity(change)])
    #expect(side.sent == ["1 a"])
    side.refuse(.rateLimited, nil, retryAfterMs: 100)
    side.pass(.milliseconds(100))
    #expect(side.controls == [.activity(change), .activity(change)])
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    side.give(Side.system(ActivityPayload.type, mine.encoded(), at: 12))
    #expect(side.told.last == "New by 1")
    #expect(side.sent == ["1 a", "2 b"])
  }

  @Test("a change of the activity is settled when it is on disk, and numbers count over it")
  func settlesActivity() {
    var side = Side.live()
    let change = ActivityChange(title: "New")
    side.session.change(change, now: side.now)
    side.session.mark(1, now: side.now)
    side.send("a")
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    side.give(Side.system(ActivityPayload.type, mine.encoded(), at: 11) + Side.entry(1, 1, "a", at: 12))
    #expect(side.reached == [])
    side.breaks()
    side.send("b")
    side.forget()
    side.open()
    #expect(side.resume?.next == 1)
    side.joined(acknowledged: 1, resumed: true)
    side.tail()
    #expect(side.controls.count == 1)
    #expect(side.sent == ["2 b"])
    side.refuse(.sequenceGap, 2, expected: 2)
    #expect(side.sent == ["2 b", "2 b"])
    side.say(.committed(sequence: 11))
    #expect(side.reached == [1])
    side.give(Side.entry(1, 2, "b", at: 13))
    side.say(.committed(sequence: 13))
    #expect(side.told.last == "settled")
  }

  @Test("a change of the activity that a crash may have lost goes again, unless it is the state")
  func activityOverCrash() {
    for isState in [true, false] {
      var side = Side.live()
      let change = ActivityChange(title: "New")
      side.session.change(change, now: side.now)
      side.session.mark(1, now: side.now)
      side.take()
      let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
      side.give(Side.system(ActivityPayload.type, mine.encoded(), at: 11))
      side.send("a")
      side.breaks()
      side.forget()
      side.open()
      side.sequence = 11
      side.joined(epoch: "f", committed: 10, resumed: true)
      side.snapshot(epoch: "f", entries: isState ? Side.system(ActivityPayload.type, mine.encoded()) : [])
      #expect(side.controls.dropFirst() == (isState ? [] : [.activity(change)]))
      #expect(side.reached == [])
      if !isState { side.give(Side.system(ActivityPayload.type, mine.encoded(), at: 11)) }
      #expect(side.sent == ["1 a"])
      side.say(.committed(sequence: 11))
      #expect(side.reached == [1])
    }
  }

  @Test("after a cut it goes again, unless the tail shows it", arguments: [true, false])
  func activityOverCut(wasTaken: Bool) {
    var side = Side.live()
    let change = ActivityChange(title: "New")
    side.session.change(change, now: side.now)
    side.take()
    side.breaks()
    side.forget()
    side.open()
    side.joined(resumed: true)
    let mine = ActivityPayload(activity: Activity.standard.applying(change), by: 1)
    side.tail(wasTaken ? Side.system(ActivityPayload.type, mine.encoded(), at: 11) : [])
    #expect(side.controls.dropFirst() == (wasTaken ? [] : [.activity(change)]))
  }

  @Test("how one is shown is said at once, and with the next join")
  func profile() {
    var side = Side.live()
    side.session.change(Profile(color: "#123456"), now: side.now)
    side.take()
    #expect(side.controls == [.profile(Profile(name: "Ada", color: "#123456"))])
    side.breaks()
    side.session.change(Profile(name: "Eve"), now: side.now)
    side.forget()
    side.open()
    guard case .join(let join)? = side.controls.first else {
      Issue.record("no join: \(side.controls)")
      return
    }
    #expect(join.profile == Profile(name: "Eve", color: "#123456"))
    side.joined(resumed: true)
    side.tail()
    #expect(side.controls.count == 1)
  }
}
