import SessionClient
import Foundation
import Testing
import Platform
import Wire

@Suite("Waiting to join")
struct WaitingToJoinTests {
  /// A side that the gateway lists as waiting.
  private func waiting() -> Side {
    var side = Side()
    side.session.waitToJoin(now: side.now)
    side.take()
    side.open()
    let session = SessionObject(
      id: SessionID(high: 1, low: 2), link: "/s/x", activity: .standard,
      createdAt: Date(timeIntervalSince1970: 0), participants: 1, sequence: 10)
    side.say(.waiting(Waiting(session: session, participants: [Side.bob])))
    return side
  }

  private func join(_ side: inout Side, as profile: Profile? = nil) {
    side.session.join(as: profile, now: side.now)
    side.take()
  }

  @Test("who waits says `wait`, is told nothing, and joins on the same socket under the profile of the join")
  func joinsOnTheSameSocket() {
    var side = waiting()
    #expect(side.controls == [.wait(Profile(name: "Ada"))])
    side.give(Side.system(ParticipantsPayload.type, ParticipantsPayload(joined: [Side.ada]).encoded()))
    #expect(side.told == [])
    join(&side, as: Profile(name: "Augusta"))
    join(&side)
    #expect(side.controls.last == .join(Join(profile: Profile(name: "Augusta"))))
    #expect(side.controls.count == 2 && side.opens.count == 1)
    side.joined()
    side.snapshot()
    #expect(side.told.first == "joined as 1" && side.told.last == "caught up")
  }

  @Test("a join before the socket is open sends no `wait`")
  func joinsBeforeTheSocketIsOpen() {
    var side = Side()
    side.session.waitToJoin(now: side.now)
    join(&side)
    side.open()
    #expect(side.controls == [.join(Join(profile: Profile(name: "Ada")))])
    #expect(side.opens.count == 1)
  }

  @Test("a socket that breaks or is silent while it waits is opened again, and nothing is told")
  func waitsOverCuts() {
    var side = waiting()
    side.breaks()
    side.open()
    side.pass(.seconds(15))
    side.breaks()
    side.breaks()
    #expect(side.controls == [.wait(Profile(name: "Ada")), .wait(Profile(name: "Ada"))])
    #expect(side.opens.count == 5)
    #expect(side.told == [])
    side.forget()
    join(&side)
    #expect(side.opens == [.zero])
    side.open()
    #expect(side.controls == [.join(Join(profile: Profile(name: "Ada")))])
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
    var side = waiting()
    side.session.leave(now: side.now)
    side.take()
    #expect(side.controls.last == .leave && side.told == ["ended: left"])
    side.closed(1000)
    #expect(side.isFinished)
    join(&side)
    #expect(side.opens.count == 1)
  }
}
