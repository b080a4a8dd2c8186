import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("2.1: joining and coming back")
struct ReconnectTests {
  @Test("the first join says how to be shown and nothing of before")
  func joins() {
    var harness = SessionHarness()
    harness.session.join(now: harness.now)
    harness.session.join(now: harness.now)
    harness.take()
    #expect(harness.opens == [.zero])
    harness.open()
    #expect(harness.controls == [.join(Join(profile: Profile(name: "Ada")))])
    harness.joined()
    harness.snapshot()
    #expect(
      harness.told == [
        "joined as 1", "snapshot", #"here ["Ada", "Bob"] waiting []"#, "Draw Together by 0", "caught up",
      ])
    #expect(harness.session.token == SessionHarness.token)
  }

  @Test("a cut is told once, the next attempt is at once, the others come later and later up to 10 s")
  func comesBackLater() {
    var harness = SessionHarness.live()
    for _ in 0..<12 { harness.breaks() }
    // Between half and all of 0.1, 0.2, 0.4 … 10 s: here the middle of that.
    let expected = [0, 75, 150, 300, 600, 1200, 2400, 4800, 7500, 7500, 7500, 7500]
    #expect(harness.opens == expected.map { Duration.milliseconds($0) })
    #expect(harness.told == ["away", "trouble: cut"])
    harness.open()
    harness.joined(resumed: true)
    harness.tail()
    harness.pass(.seconds(5))
    harness.forget()
    harness.breaks()
    #expect(harness.opens == [.zero], "it worked in between")
    #expect(harness.told == ["away"])
  }

  @Test("what lets us in and closes soon is asked later and later, and told once")
  func comesBackLaterToWhatDoesNotLast() {
    var harness = SessionHarness.live()
    harness.forget()
    for _ in 0..<6 {
      harness.pass(.milliseconds(4999))
      harness.closed(1011)
      harness.open()
      harness.joined(resumed: true)
      harness.tail()
    }
    #expect(harness.opens == [0, 75, 150, 300, 600, 1200].map { Duration.milliseconds($0) })
    #expect(
      harness.told.filter { $0.hasPrefix("trouble") } == [
        "trouble: The gateway closed the connection with code 1011."
      ])
    harness.pass(.seconds(5))
    harness.forget()
    harness.closed(1011)
    #expect(harness.opens == [.zero])
    #expect(harness.told == ["away"])
  }

  @Test("a resume says who it was, up to where it was told, and what it still holds")
  func resumes() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.give(harness.entry(2, 1, "from Bob") + harness.entry(1, 1, "a"))
    harness.say(.committed(sequence: 12))
    harness.breaks()
    harness.open()
    #expect(harness.resume == Resume(token: SessionHarness.token, epoch: "e", after: 12, next: 2))
  }

  @Test("who was cut within a snapshot has no place to go on from; in a tail each entry is one")
  func wherePlacesAre() {
    var harness = SessionHarness.live()
    harness.breaks()
    harness.open()
    harness.joined(resumed: true)
    harness.say(.catchUp(.tail, epoch: "e", sequence: 12))
    harness.give(harness.entry(2, 1))
    harness.breaks()
    harness.open()
    #expect(harness.resume?.after == 11)
    harness.joined(resumed: true)
    harness.say(.catchUp(.snapshot, epoch: "e", sequence: 12))
    harness.give(harness.entry(2, 2))
    harness.breaks()
    harness.open()
    #expect(harness.resume == Resume(token: SessionHarness.token, next: 1))
  }

  @Test("what is above `acknowledged` goes again, under the same client sequences")
  func sendsAgain() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.breaks()
    harness.send("d")
    harness.forget()
    harness.open()
    harness.joined(acknowledged: 1, resumed: true)
    #expect(harness.messages.isEmpty, "nothing goes before caughtUp")
    harness.tail(harness.entry(1, 1, "a"))
    #expect(harness.sent == ["2 b", "3 c", "4 d"])
  }

  @Test("after a crash that includes what others had seen already; they are told it once")
  func sendsAgainAfterCrash() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.give(harness.entry(1, 1, "a") + harness.entry(1, 2, "b") + harness.entry(2, 1, "c"))
    harness.say(.committed(sequence: 11))
    harness.breaks()
    harness.forget()
    harness.open()
    #expect(harness.resume?.next == 2)
    harness.sequence = 11
    harness.joined(epoch: "f", acknowledged: 1, committed: 11, resumed: true)
    harness.snapshot(epoch: "f")
    #expect(harness.sent == ["2 b"])
    harness.give(harness.entry(1, 2, "b") + harness.entry(2, 1, "c") + harness.entry(2, 2, "d"))
    #expect(harness.told.suffix(3) == ["Ada: b, mine, again", "Bob: c, again", "Bob: d"])
    harness.breaks()
    harness.open()
    #expect(harness.resume?.epoch == "f")
  }

  @Test("with another epoch `after` stays in its own until catchUp, and a tail goes on in the new one")
  func tailAcrossEpochs() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.give(harness.entry(1, 1, "a") + harness.entry(2, 1, "c"))
    harness.say(.committed(sequence: 12))
    harness.breaks()
    harness.open()
    #expect(harness.resume == Resume(token: SessionHarness.token, epoch: "e", after: 12, next: 2))
    harness.sequence = 20
    harness.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    harness.breaks()
    harness.open()
    #expect(harness.resume?.epoch == "e", "nothing says that 12 counts in f")
    #expect(harness.resume?.after == 12)
    harness.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    harness.say(.catchUp(.tail, epoch: "f", sequence: 20))
    harness.give(SessionHarness.entry(2, 2, "d", at: 13))
    harness.breaks()
    harness.open()
    #expect(harness.resume == Resume(token: SessionHarness.token, epoch: "f", after: 13, next: 2))
    harness.forget()
    harness.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    harness.tail(SessionHarness.entry(2, 3, "e", at: 14), epoch: "f")
    #expect(harness.sent == ["2 b"])
    #expect(harness.told.contains("Bob: e"))
    #expect(harness.told.last == "caught up")
  }

  @Test("committed of an epoch that broke off lets go of nothing in the new one")
  func committedOfFormerEpoch() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.say(.committed(sequence: 90))
    harness.breaks()
    harness.open()
    harness.sequence = 50
    harness.joined(epoch: "f", acknowledged: 1, committed: 40, resumed: true)
    harness.tail(epoch: "f")
    harness.breaks()
    harness.open()
    #expect(harness.resume?.next == 1, "50 is not on disk")
  }

  @Test("who is no longer known is somebody else, and numbers what it keeps anew")
  func becomesSomebodyElse() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.give(harness.entry(1, 1, "a"))
    harness.say(.committed(sequence: 11))
    harness.breaks()
    harness.forget()
    harness.open()
    var other = SessionHarness.ada
    other.number = 7
    harness.joined(as: other, epoch: "f")
    harness.snapshot([other], epoch: "f")
    #expect(harness.sent == ["1 b", "2 c"])
    #expect(harness.told.first == "joined as 7")
    harness.give(harness.entry(7, 1, "b"))
    #expect(harness.told.last == "Ada: b, mine")
  }

  @Test("4009: it joins as somebody else, and what its tail shows to be there is not said again")
  func resumedElsewhere() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.closed(4009, #"{"code":"resumed-elsewhere"}"#)
    harness.forget()
    harness.open()
    #expect(harness.resume == Resume(epoch: "e", after: 10))
    var other = SessionHarness.ada
    other.number = 7
    harness.joined(as: other)
    harness.tail(harness.entry(1, 1, "a") + harness.entry(1, 2, "b"))
    #expect(harness.sent == ["1 c"])
    #expect(harness.told.filter { $0.hasPrefix("Ada") } == ["Ada: a, mine", "Ada: b, mine"])
  }

  @Test("who is taken for somebody else and cut again before it is caught up starts from 1 too")
  func becomesSomebodyElseTwice() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.closed(4009)
    harness.open()
    var other = SessionHarness.ada
    other.number = 7
    harness.joined(as: other)
    harness.breaks()
    harness.forget()
    harness.open()
    #expect(harness.resume?.next == 1)
    harness.joined(as: other, resumed: true)
    harness.tail(harness.entry(1, 1, "a"))
    #expect(harness.sent == ["1 b"])
  }

  @Test("45 s of silence are a broken socket, but not while nobody reads; 15 s are too long to open one")
  func silence() {
    var harness = SessionHarness.live()
    harness.pass(.seconds(44))
    harness.session.heard(now: harness.now)
    harness.take()
    #expect(harness.session.deadline == harness.now + .seconds(45))
    harness.session.reading(false, now: harness.now)
    harness.take()
    #expect(harness.session.deadline == nil)
    harness.pass(.seconds(100))
    #expect(harness.told == [])
    harness.session.reading(true, now: harness.now)
    harness.take()
    harness.pass(.seconds(45))
    #expect(harness.told == ["away"])
    #expect(harness.opens == [.zero])
    harness.pass(.seconds(15))
    #expect(harness.opens.count == 2)
    #expect(harness.told == ["away", "trouble: The gateway cannot be reached."])
  }

  @Test("a late snapshot that hides whether our entry is there is cleared up by another socket")
  func doubt() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.sequence = 12
    harness.snapshot()
    #expect(harness.session.deadline == harness.now + .seconds(2))
    harness.pass(.seconds(2))
    #expect(harness.opens == [.zero])
    harness.forget()
    harness.open()
    harness.joined(acknowledged: 2, resumed: true)
    harness.tail()
    #expect(harness.sent == [])
    harness.say(.committed(sequence: 12))
    #expect(harness.told.last == "settled")
  }
}
