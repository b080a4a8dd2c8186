import Client
import FoundationEssentials
import Testing
import Transport
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

  @Test("leaving takes 5 s at most, and no time where nobody can be told")
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

    var away = Side.live()
    away.breaks()
    away.session.leave(now: away.now)
    away.take()
    #expect(away.isFinished)

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
