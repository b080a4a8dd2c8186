import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("PROTOCOL 2.2: a client leaves a session or ends it")
struct LeavingTests {
  @Test("Leaving sends pending messages, then `leave`, and reports no more events")
  func leaves() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.leave(now: harness.now)
    harness.session.leave(now: harness.now)
    harness.drainEffects()
    #expect(harness.events == ["ended: left"])
    #expect(harness.controls == [])
    harness.send("too late")
    harness.deliver(harness.entry(2, 1, "b") + harness.entry(1, 1, "a"))
    #expect(harness.controls == [.leave])
    harness.closed(1000)
    #expect(harness.events == ["ended: left"])
    #expect(harness.sent == ["1 a"])
    #expect(harness.isFinished)
    #expect(harness.session.token == SessionHarness.token, "the token is kept for creating a successor")
  }

  @Test("Leaving takes 5 s at most, and is complete immediately if the client has never joined")
  func leavesInTime() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.leave(now: harness.now)
    harness.drainEffects()
    harness.advance(by: .seconds(4))
    #expect(!harness.isFinished)
    harness.advance(by: .seconds(1))
    #expect(harness.controls == [.leave])
    #expect(harness.closes == [1000])
    #expect(harness.isFinished)

    var unheard = SessionHarness()
    unheard.session.join(now: unheard.now)
    unheard.loseConnection()
    unheard.session.leave(now: unheard.now)
    unheard.drainEffects()
    #expect(unheard.isFinished)

    var early = SessionHarness()
    early.session.leave(now: early.now)
    early.drainEffects()
    #expect(early.isFinished)
  }

  @Test(
    "A client that leaves while disconnected reconnects immediately to send `leave`, and gives up after 5 s")
  func leavesAway() {
    var harness = SessionHarness.live()
    for _ in 0..<8 { harness.loseConnection() }
    harness.clear()
    harness.session.leave(now: harness.now)
    harness.drainEffects()
    #expect(harness.opens == [.zero], "without a backoff delay")
    #expect(!harness.isFinished)
    harness.open()
    harness.joined(resumed: true)
    #expect(harness.controls.last == .leave)
    harness.receive(.catchUp(.tail, epoch: "e", sequence: 10))
    harness.closed(1000)
    #expect(harness.isFinished)

    var unheard = SessionHarness.live()
    unheard.loseConnection()
    unheard.session.leave(now: unheard.now)
    unheard.drainEffects()
    unheard.loseConnection()
    unheard.advance(by: .milliseconds(4999))
    #expect(!unheard.isFinished)
    unheard.advance(by: .milliseconds(1))
    #expect(unheard.isFinished)

    var unwanted = SessionHarness.live()
    unwanted.closed(1012, #"{"code":"unavailable","retryAfterMs":2000}"#)
    unwanted.clear()
    unwanted.session.leave(now: unwanted.now)
    unwanted.drainEffects()
    #expect(unwanted.opens == [.seconds(2)], "not before the time that the gateway asked for")
  }

  @Test("After `leave` was sent, the only remaining deadline is the limit of 5 s for leaving")
  func waitsForNothing() {
    var harness = SessionHarness.live()
    harness.session.change(Profile(name: "Eve"), now: harness.now)
    harness.drainEffects()
    harness.refuse(.rateLimited, nil, retryAfterMs: 100)
    harness.session.leave(now: harness.now)
    harness.drainEffects()
    #expect(harness.controls.last == .leave)
    harness.advance(by: .milliseconds(150))
    #expect(harness.session.deadline == harness.now + .milliseconds(4850))
  }

  @Test("The message `end` is sent after earlier messages, and sent again after a reconnect")
  func ends() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.session.end(now: harness.now)
    harness.drainEffects()
    #expect(harness.controls == [])
    harness.deliver(harness.entry(1, 1, "a"))
    #expect(harness.controls == [.end])
    harness.loseConnection()
    harness.clear()
    harness.open()
    harness.joined(acknowledged: 1, resumed: true)
    harness.tail()
    #expect(harness.controls.last == .end)
    harness.closed(4010)
    #expect(harness.events.last == "ended: ended")
  }
}
