import SessionClient
import Foundation
import Testing
import Platform
import Wire

@Suite("A client can wait on a socket before it joins the session")
struct WaitingToJoinTests {
  /// Returns the session of a client that waits to join and has received `waiting`.
  private func waiting() -> SessionHarness {
    var harness = SessionHarness()
    harness.session.waitToJoin(now: harness.now)
    harness.drainEffects()
    harness.open()
    let session = SessionObject(
      id: SessionID(high: 1, low: 2), link: "/s/x", activity: .standard,
      createdAt: Date(timeIntervalSince1970: 0), participants: 1, sequence: 10)
    harness.receive(.waiting(Waiting(session: session, participants: [SessionHarness.bob])))
    return harness
  }

  private func join(_ harness: inout SessionHarness, as profile: Profile? = nil) {
    harness.session.join(as: profile, now: harness.now)
    harness.drainEffects()
  }

  @Test(
    "A waiting client sends `wait`, reports no events, and later joins on the same socket with a new profile")
  func joinsOnTheSameSocket() {
    var harness = waiting()
    #expect(harness.controls == [.wait(Profile(name: "Ada"))])
    harness.deliver(
      SessionHarness.system(
        ParticipantsPayload.type, ParticipantsPayload(joined: [SessionHarness.ada]).encoded()))
    #expect(harness.events == [])
    join(&harness, as: Profile(name: "Augusta"))
    join(&harness)
    #expect(harness.controls.last == .join(Join(profile: Profile(name: "Augusta"))))
    #expect(harness.controls.count == 2 && harness.opens.count == 1)
    harness.joined()
    harness.snapshot()
    #expect(harness.events.first == "joined as 1" && harness.events.last == "caught up")
  }

  @Test("If a client joins before its socket is open, it sends `join` and no `wait`")
  func joinsBeforeTheSocketIsOpen() {
    var harness = SessionHarness()
    harness.session.waitToJoin(now: harness.now)
    join(&harness)
    harness.open()
    #expect(harness.controls == [.join(Join(profile: Profile(name: "Ada")))])
    #expect(harness.opens.count == 1)
  }

  @Test("While a client waits to join, a broken or silent socket is replaced, and no event is reported")
  func waitsOverCuts() {
    var harness = waiting()
    harness.loseConnection()
    harness.open()
    harness.advance(by: .seconds(15))
    harness.loseConnection()
    harness.loseConnection()
    #expect(harness.controls == [.wait(Profile(name: "Ada")), .wait(Profile(name: "Ada"))])
    #expect(harness.opens.count == 5)
    #expect(harness.events == [])
    harness.clear()
    join(&harness)
    #expect(harness.opens == [.zero])
    harness.open()
    #expect(harness.controls == [.join(Join(profile: Profile(name: "Ada")))])
  }

  @Test(
    "While a client waits to join, it reports only the session's end; it reports other refusals only after `join`"
  )
  func refusals() {
    var ended = waiting()
    ended.closed(4010)
    #expect(ended.events == ["ended: ended"] && ended.isFinished)

    var full = waiting()
    full.closed(4005)
    #expect(full.events == [] && !full.isFinished && full.opens.count == 1)
    #expect(full.session.deadline == nil)
    join(&full)
    #expect(full.opens.count == 2)
    full.open()
    full.closed(4005)
    #expect(full.events == ["ended: full"] && full.isFinished)
  }

  @Test("A client that leaves while it waits sends `leave`, and cannot join afterwards")
  func leaves() {
    var harness = waiting()
    harness.session.leave(now: harness.now)
    harness.drainEffects()
    #expect(harness.controls.last == .leave && harness.events == ["ended: left"])
    harness.closed(1000)
    #expect(harness.isFinished)
    join(&harness)
    #expect(harness.opens.count == 1)
  }
}
