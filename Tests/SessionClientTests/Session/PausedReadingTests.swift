import Primitives
import SessionClient
import Testing
import Platform
import Wire

@Suite("A participant's side whose program wants no more to be read")
struct PausedReadingTests {
  /// One that is in, and is not read.
  private static func paused() -> Side {
    var side = Side.live()
    side.session.reading(false, now: side.now)
    side.take()
    return side
  }

  @Test("it is not read, but from a cut until it is caught up again: silence counts again too")
  func comesBack() {
    var side = Self.paused()
    #expect(!side.session.wantsReading)
    side.breaks()
    #expect(side.session.wantsReading)
    side.open()
    #expect(side.session.deadline == side.now + .seconds(15))
    side.joined(resumed: true)
    side.say(.catchUp(.tail, epoch: "e", sequence: 10))
    #expect(side.session.wantsReading)
    #expect(side.session.deadline == side.now + .seconds(45))
    side.say(.caughtUp(sequence: 10))
    #expect(!side.session.wantsReading)
    #expect(side.session.deadline == nil)
    side.session.heard(now: side.now)
    side.take()
    #expect(side.session.deadline == nil)
  }

  @Test("it is read while a mark waits")
  func settles() {
    var side = Self.paused()
    side.send("a")
    side.session.mark(1, now: side.now)
    side.take()
    #expect(side.session.wantsReading)
    #expect(side.session.deadline == side.now + .seconds(45))
    side.give(side.entry(1, 1, "a"))
    side.say(.committed(sequence: 11))
    #expect(side.reached == [1])
    #expect(!side.session.wantsReading)
    #expect(side.session.deadline == nil)
  }

  @Test("for a mark no more than 64 MiB are read")
  func settlesWithinBounds() {
    var side = Self.paused()
    side.send("a")
    side.session.mark(1, now: side.now)
    side.take()
    let large = side.entry(2, 1, String(repeating: "x", count: 1 << 20))
    for _ in 0..<63 { side.give(large) }
    #expect(side.session.wantsReading)
    side.give(large)
    #expect(!side.session.wantsReading)
    side.session.reading(true, now: side.now)
    #expect(side.session.wantsReading)
  }

  @Test("it is read from `leave` on: what waits behind an answer still goes")
  func leaves() {
    var side = Self.paused()
    side.send("a")
    side.session.change(ActivityChange(title: "New"), now: side.now)
    side.session.leave(now: side.now)
    side.take()
    #expect(side.session.wantsReading)
  }

  @Test("a doubt is read for")
  func doubts() {
    var side = Side.live()
    side.send("a")
    side.session.reading(false, now: side.now)
    side.snapshot()
    #expect(side.session.wantsReading)
    side.give(side.entry(1, 1, "a"))
    #expect(!side.session.wantsReading)
    #expect(side.session.deadline == nil)
  }
}
