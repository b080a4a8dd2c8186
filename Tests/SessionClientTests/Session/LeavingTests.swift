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
    var side = Side.live()
    side.send("a")
    side.session.leave(now: side.now)
    side.session.leave(now: side.now)
    side.take()
    #expect(side.told == ["ended: left"])
    #expect(side.controls == [])
    side.send("too late")
    side.give(side.entry(2, 1, "b") + side.entry(1, 1, "a"))
    #expect(side.controls == [.leave])
    side.closed(1000)
    #expect(side.told == ["ended: left"])
    #expect(side.sent == ["1 a"])
    #expect(side.isFinished)
    #expect(side.session.token == Side.token, "for a successor")
  }

  @Test("leaving takes 5 s at most, and no time where nobody knows of us")
  func leavesInTime() {
    var side = Side.live()
    side.send("a")
    side.session.leave(now: side.now)
    side.take()
    side.pass(.seconds(4))
    #expect(!side.isFinished)
    side.pass(.seconds(1))
    #expect(side.controls == [.leave])
    #expect(side.closes == [1000])
    #expect(side.isFinished)

    var unheard = Side()
    unheard.session.join(now: unheard.now)
    unheard.breaks()
    unheard.session.leave(now: unheard.now)
    unheard.take()
    #expect(unheard.isFinished)

    var early = Side()
    early.session.leave(now: early.now)
    early.take()
    #expect(early.isFinished)
  }

  @Test("leaving during a cut: it comes back at once and says so, within the 5 s")
  func leavesAway() {
    var side = Side.live()
    for _ in 0..<8 { side.breaks() }
    side.forget()
    side.session.leave(now: side.now)
    side.take()
    #expect(side.opens == [.zero], "not only after seconds")
    #expect(!side.isFinished)
    side.open()
    side.joined(resumed: true)
    #expect(side.controls.last == .leave)
    side.say(.catchUp(.tail, epoch: "e", sequence: 10))
    side.closed(1000)
    #expect(side.isFinished)

    var unheard = Side.live()
    unheard.breaks()
    unheard.session.leave(now: unheard.now)
    unheard.take()
    unheard.breaks()
    unheard.pass(.milliseconds(4999))
    #expect(!unheard.isFinished)
    unheard.pass(.milliseconds(1))
    #expect(unheard.isFinished)

    var unwanted = Side.live()
    unwanted.closed(1012, #"{"code":"unavailable","retryAfterMs":2000}"#)
    unwanted.forget()
    unwanted.session.leave(now: unwanted.now)
    unwanted.take()
    #expect(unwanted.opens == [.seconds(2)], "not before the gateway wants it")
  }

  @Test("once `leave` is said nothing else is waited for")
  func waitsForNothing() {
    var side = Side.live()
    side.session.change(Profile(name: "Eve"), now: side.now)
    side.take()
    side.refuse(.rateLimited, nil, retryAfterMs: 100)
    side.session.leave(now: side.now)
    side.take()
    #expect(side.controls.last == .leave)
    side.pass(.milliseconds(150))
    #expect(side.session.deadline == side.now + .milliseconds(4850))
  }

  @Test("ending comes behind what was said before, over cuts too")
  func ends() {
    var side = Side.live()
    side.send("a")
    side.session.end(now: side.now)
    side.take()
    #expect(side.controls == [])
    side.give(side.entry(1, 1, "a"))
    #expect(side.controls == [.end])
    side.breaks()
    side.forget()
    side.open()
    side.joined(acknowledged: 1, resumed: true)
    side.tail()
    #expect(side.controls.last == .end)
    side.closed(4010)
    #expect(side.told.last == "ended: ended")
  }
}
