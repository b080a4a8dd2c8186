import SessionClient
import Foundation
import Testing
import Platform
import Wire

@Suite("Waiting to join")
struct WaitingToJoinTests {
  /// A harness that the gateway lists as waiting.
  private func waiting() -> SessionHarness {
    var harness = SessionHarness()
    harness.session.waitToJoin(now: harness.now)
    harness.take()
    harness.open()
    let session = SessionObject(
      id: SessionID(high: 1, low: 2), link: "/s/x", activity: .standard,
      createdAt: Date(timeIntervalSince1970: 0), participants: 1, sequence: 10)
    harness.say(.waiting(Waiting(session: session, participants: [SessionHarness.bob])))
    return harness
  }

  private func join(_ harness: inout SessionHarness, as profile: Profile? = nil) {
    harness.session.join(as: profile, now: harness.now)
    harness.take()
  }

  @Test("who waits says `wait`, is told nothing, and joins on the same socket under the profile of the join")
  func joinsOnTheSameSocket() {
    var harness = waiting()
    #expect(harness.controls == [.wait(Profile(name: "Ada"))])
    harness.give(
      SessionHarness.system(
        ParticipantsPayload.type, ParticipantsPayload(joined: [SessionHarness.ada]).encoded()))
    #expect(harness.told == [])
    join(&harness, as: Profile(name: "Augusta"))
    join(&harness)
    #expect(harness.controls.last == .join(Join(profile: Profile(name: "Augusta"))))
    #expect(harness.controls.count == 2 && harness.opens.count == 1)
    harness.joined()
    harness.snapshot()
    #expect(harness.told.first == "joined as 1" && harness.told.last == "caught up")
  }

  @Test("a join before the socket is open sends no `wait`")
  func joinsBeforeTheSocketIsOpen() {
    var harness = SessionHarness()
    harness.session.waitToJoin(now: harness.now)
    join(&harness)
    harness.open()
    #expect(harness.controls == [.join(Join(profile: Profile(name: "Ada")))])
    #expect(harness.opens.count == 1)
  }

  @Test("a socket that breaks or is silent while it waits is opened again, and nothing is told")
  func waitsOverCuts() {
    var harness = waiting()
    harness.breaks()
    harness.open()
    harness.pass(.seconds(15))
    harness.breaks()
    harness.breaks()
    #expect(harness.controls == [.wait(Profile(name: "Ada")), .wait(Profile(name: "Ada"))])
    #expect(harness.opens.count == 5)
    #expect(harness.told == [])
    harness.forget()
    join(&harness)
    #expect(harness.opens == [.zero])
    harness.open()
    #expect(harness.controls == [.join(Join(profile: Profile(name: "Ada")))])
  }

  @Test("of a session that is not joined only its end is told; another refusal waits for the join")
  func refusals() {
    var ended = waiting()
    ended.closed(4010)
    #expect(ended.told == ["ended: ended"] && ended.isFinished)

    var full = waiting()
    full.closed(4005)
    #expect(full.told == [] && !full.isFinished && full.opens.count == 1)
    #expect(full.session.deadline == nil)
    join(&full)
    #expect(full.opens.count == 2)
    full.open()
    full.closed(4005)
    #expect(full.told == ["ended: full"] && full.isFinished)
  }

  @Test("who waits leaves by `leave`")
  func leaves() {
    var harness = waiting()
    harness.session.leave(now: harness.now)
    harness.take()
    #expect(harness.controls.last == .leave && harness.told == ["ended: left"])
    harness.closed(1000)
    #expect(harness.isFinished)
    join(&harness)
    #expect(harness.opens.count == 1)
  }
}
