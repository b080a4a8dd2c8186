import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("2.2: leaving and ending")
struct LeavingTests {
  @Test("leaving: what waits goes first, then `leave`; nothing is told any more")
  func leaves() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.leave(now: harness.now)
    harness.session.leave(now: harness.now)
    harness.take()
    #expect(harness.told == ["ended: left"])
    #expect(harness.controls == [])
    harness.send("too late")
    harness.give(harness.entry(2, 1, "b") + harness.entry(1, 1, "a"))
    #expect(harness.controls == [.leave])
    harness.closed(1000)
    #expect(harness.told == ["ended: left"])
    #expect(harness.sent == ["1 a"])
    #expect(harness.isFinished)
    #expect(harness.session.token == SessionHarness.token, "for a successor")
  }

  @Test("leaving takes 5 s at most, and no time where nobody knows of us")
  func leavesInTime() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.leave(now: harness.now)
    harness.take()
    harness.pass(.seconds(4))
    #expect(!harness.isFinished)
    harness.pass(.seconds(1))
    #expect(harness.controls == [.leave])
    #expect(harness.closes == [1000])
    #expect(harness.isFinished)

    var unheard = SessionHarness()
    unheard.session.join(now: unheard.now)
    unheard.breaks()
    unheard.session.leave(now: unheard.now)
    unheard.take()
    #expect(unheard.isFinished)

    var early = SessionHarness()
    early.session.leave(now: early.now)
    early.take()
    #expect(early.isFinished)
  }

  @Test("leaving during a cut: it comes back at once and says so, within the 5 s")
  func leavesAway() {
    var harness = SessionHarness.live()
    for _ in 0..<8 { harness.breaks() }
    harness.forget()
    harness.session.leave(now: harness.now)
    harness.take()
    #expect(harness.opens == [.zero], "not only after seconds")
    #expect(!harness.isFinished)
    harness.open()
    harness.joined(resumed: true)
    #expect(harness.controls.last == .leave)
    harness.say(.catchUp(.tail, epoch: "e", sequence: 10))
    harness.closed(1000)
    #expect(harness.isFinished)

    var unheard = SessionHarness.live()
    unheard.breaks()
    unheard.session.leave(now: unheard.now)
    unheard.take()
    unheard.breaks()
    unheard.pass(.milliseconds(4999))
    #expect(!unheard.isFinished)
    unheard.pass(.milliseconds(1))
    #expect(unheard.isFinished)

    var unwanted = SessionHarness.live()
    unwanted.closed(1012, #"{"code":"unavailable","retryAfterMs":2000}"#)
    unwanted.forget()
    unwanted.session.leave(now: unwanted.now)
    unwanted.take()
    #expect(unwanted.opens == [.seconds(2)], "not before the gateway wants it")
  }

  @Test("once `leave` is said nothing else is waited for")
  func waitsForNothing() {
    var harness = SessionHarness.live()
    harness.session.change(Profile(name: "Eve"), now: harness.now)
    harness.take()
    harness.refuse(.rateLimited, nil, retryAfterMs: 100)
    harness.session.leave(now: harness.now)
    harness.take()
    #expect(harness.controls.last == .leave)
    harness.pass(.milliseconds(150))
    #expect(harness.session.deadline == harness.now + .milliseconds(4850))
  }

  @Test("ending comes behind what was said before, over cuts too")
  func ends() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.end(now: harness.now)
    harness.take()
    #expect(harness.controls == [])
    harness.give(harness.entry(1, 1, "a"))
    #expect(harness.controls == [.end])
    harness.breaks()
    harness.forget()
    harness.open()
    harness.joined(acknowledged: 1, resumed: true)
    harness.tail()
    #expect(harness.controls.last == .end)
    harness.closed(4010)
    #expect(harness.told.last == "ended: ended")
  }
}
