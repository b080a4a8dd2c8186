import Primitives
import SessionClient
import Testing
import Platform
import Wire

@Suite("A client that has paused reading can still send and leave, and stays connected")
struct PausedReadingTests {
  /// Returns a caught-up session whose application has paused reading.
  private static func paused() -> SessionHarness {
    var harness = SessionHarness.live()
    harness.session.setReading(false, now: harness.now)
    harness.drainEffects()
    return harness
  }

  @Test("While reading is paused, the socket is read only from a reconnect to the end of the catch-up")
  func comesBack() {
    var harness = Self.paused()
    #expect(!harness.session.wantsReading)
    harness.loseConnection()
    #expect(harness.session.wantsReading)
    harness.open()
    #expect(harness.session.deadline == harness.now + .seconds(15))
    harness.joined(resumed: true)
    harness.receive(.catchUp(.tail, epoch: "e", sequence: 10))
    #expect(harness.session.wantsReading)
    #expect(harness.session.deadline == harness.now + .seconds(35))
    harness.receive(.caughtUp(sequence: 10))
    #expect(!harness.session.wantsReading)
    #expect(harness.session.deadline == nil)
    harness.session.bytesReceived(now: harness.now)
    harness.drainEffects()
    #expect(harness.session.deadline == nil)
  }

  @Test(
    "While reading is paused, the client still reads from its socket until a waiting `settle` call is complete"
  )
  func settles() {
    var harness = Self.paused()
    harness.send("a")
    harness.session.mark(1, now: harness.now)
    harness.drainEffects()
    #expect(harness.session.wantsReading)
    #expect(harness.session.deadline == harness.now + .seconds(35))
    harness.deliver(harness.entry(1, 1, "a"))
    harness.receive(.committed(sequence: 11))
    #expect(harness.reached == [1])
    #expect(!harness.session.wantsReading)
    #expect(harness.session.deadline == nil)
  }

  @Test(
    "In a pause of reading, the client reads at most 64 MiB for a `settle` call (a wait for saved messages)"
  )
  func settlesWithinBounds() {
    var harness = Self.paused()
    harness.send("a")
    harness.session.mark(1, now: harness.now)
    harness.drainEffects()
    let large = harness.entry(2, 1, String(repeating: "x", count: 1 << 20))
    for _ in 0..<63 { harness.deliver(large) }
    #expect(harness.session.wantsReading)
    harness.deliver(large)
    #expect(!harness.session.wantsReading)
    harness.session.setReading(true, now: harness.now)
    #expect(harness.session.wantsReading)
  }

  @Test(
    "If a client leaves while its reading is paused, reading continues until its pending messages are acknowledged"
  )
  func leaves() {
    var harness = Self.paused()
    harness.send("a")
    harness.session.change(ActivityChange(title: "New"), now: harness.now)
    harness.session.leave(now: harness.now)
    harness.drainEffects()
    #expect(harness.session.wantsReading)
  }

  @Test(
    "While reading is paused, the socket is still read until the client knows that its entries were accepted")
  func doubts() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.setReading(false, now: harness.now)
    harness.snapshot()
    #expect(harness.session.wantsReading)
    harness.deliver(harness.entry(1, 1, "a"))
    #expect(!harness.session.wantsReading)
    #expect(harness.session.deadline == nil)
  }
}
