import Primitives
import SessionClient
import Testing
import Platform
import Wire

@Suite("A participant's harness whose program wants no more to be read")
struct PausedReadingTests {
  /// One that is in, and is not read.
  private static func paused() -> SessionHarness {
    var harness = SessionHarness.live()
    harness.session.reading(false, now: harness.now)
    harness.take()
    return harness
  }

  @Test("it is not read, but from a cut until it is caught up again: silence counts again too")
  func comesBack() {
    var harness = Self.paused()
    #expect(!harness.session.wantsReading)
    harness.breaks()
    #expect(harness.session.wantsReading)
    harness.open()
    #expect(harness.session.deadline == harness.now + .seconds(15))
    harness.joined(resumed: true)
    harness.say(.catchUp(.tail, epoch: "e", sequence: 10))
    #expect(harness.session.wantsReading)
    #expect(harness.session.deadline == harness.now + .seconds(45))
    harness.say(.caughtUp(sequence: 10))
    #expect(!harness.session.wantsReading)
    #expect(harness.session.deadline == nil)
    harness.session.heard(now: harness.now)
    harness.take()
    #expect(harness.session.deadline == nil)
  }

  @Test("it is read while a mark waits")
  func settles() {
    var harness = Self.paused()
    harness.send("a")
    harness.session.mark(1, now: harness.now)
    harness.take()
    #expect(harness.session.wantsReading)
    #expect(harness.session.deadline == harness.now + .seconds(45))
    harness.give(harness.entry(1, 1, "a"))
    harness.say(.committed(sequence: 11))
    #expect(harness.reached == [1])
    #expect(!harness.session.wantsReading)
    #expect(harness.session.deadline == nil)
  }

  @Test("for a mark no more than 64 MiB are read")
  func settlesWithinBounds() {
    var harness = Self.paused()
    harness.send("a")
    harness.session.mark(1, now: harness.now)
    harness.take()
    let large = harness.entry(2, 1, String(repeating: "x", count: 1 << 20))
    for _ in 0..<63 { harness.give(large) }
    #expect(harness.session.wantsReading)
    harness.give(large)
    #expect(!harness.session.wantsReading)
    harness.session.reading(true, now: harness.now)
    #expect(harness.session.wantsReading)
  }

  @Test("it is read from `leave` on: what waits behind an answer still goes")
  func leaves() {
    var harness = Self.paused()
    harness.send("a")
    harness.session.change(ActivityChange(title: "New"), now: harness.now)
    harness.session.leave(now: harness.now)
    harness.take()
    #expect(harness.session.wantsReading)
  }

  @Test("a doubt is read for")
  func doubts() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.reading(false, now: harness.now)
    harness.snapshot()
    #expect(harness.session.wantsReading)
    harness.give(harness.entry(1, 1, "a"))
    #expect(!harness.session.wantsReading)
    #expect(harness.session.deadline == nil)
  }
}
