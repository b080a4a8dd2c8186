import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("2.1: joining and coming back")
struct ComingBackTests {
  @Test("the first join says how to be shown and nothing of before")
  func joins() {
    var side = Side()
    side.session.join(now: side.now)
    side.session.join(now: side.now)
    side.take()
    #expect(side.opens == [.zero])
    side.open()
    #expect(side.controls == [.join(Join(profile: Profile(name: "Ada")))])
    side.joined()
    side.snapshot()
    #expect(
      side.told == [
        "joined as 1", "snapshot", #"here ["Ada", "Bob"] waiting []"#, "Draw Together by 0", "caught up",
      ])
    #expect(side.session.token == Side.token)
  }

  @Test("a cut is told once, the next attempt is at once, the others come later and later up to 10 s")
  func comesBackLater() {
    var side = Side.live()
    for _ in 0..<12 { side.breaks() }
    // Between half and all of 0.1, 0.2, 0.4 … 10 s: here the middle of that.
    let expected = [0, 75, 150, 300, 600, 1200, 2400, 4800, 7500, 7500, 7500, 7500]
    #expect(side.opens == expected.map { Duration.milliseconds($0) })
    #expect(side.told == ["away", "trouble: cut"])
    side.open()
    side.joined(resumed: true)
    side.tail()
    side.pass(.seconds(5))
    side.forget()
    side.breaks()
    #expect(side.opens == [.zero], "it worked in between")
    #expect(side.told == ["away"])
  }

  @Test("what lets us in and closes soon is asked later and later, and told once")
  func comesBackLaterToWhatDoesNotLast() {
    var side = Side.live()
    side.forget()
    for _ in 0..<6 {
      side.pass(.milliseconds(4999))
      side.closed(1011)
      side.open()
      side.joined(resumed: true)
      side.tail()
    }
    #expect(side.opens == [0, 75, 150, 300, 600, 1200].map { Duration.milliseconds($0) })
    #expect(
      side.told.filter { $0.hasPrefix("trouble") } == [
        "trouble: The gateway closed the connection with code 1011."
      ])
    side.pass(.seconds(5))
    side.forget()
    side.closed(1011)
    #expect(side.opens == [.zero])
    #expect(side.told == ["away"])
  }

  @Test("a resume says who it was, up to where it was told, and what it still holds")
  func resumes() {
    var side = Side.live()
    side.send("a", "b", "c")
    side.give(side.entry(2, 1, "from Bob") + side.entry(1, 1, "a"))
    side.say(.committed(sequence: 12))
    side.breaks()
    side.open()
    #expect(side.resume == Resume(token: Side.token, epoch: "e", after: 12, next: 2))
  }

  @Test("who was cut within a snapshot has no place to go on from; in a tail each entry is one")
  func wherePlacesAre() {
    var side = Side.live()
    side.breaks()
    side.open()
    side.joined(resumed: true)
    side.say(.catchUp(.tail, epoch: "e", sequence: 12))
    side.give(side.entry(2, 1))
    side.breaks()
    side.open()
    #expect(side.resume?.after == 11)
    side.joined(resumed: true)
    side.say(.catchUp(.snapshot, epoch: "e", sequence: 12))
    side.give(side.entry(2, 2))
    side.breaks()
    side.open()
    #expect(side.resume == Resume(token: Side.token, next: 1))
  }

  @Test("what is above `acknowledged` goes again, under the same client sequences")
  func sendsAgain() {
    var side = Side.live()
    side.send("a", "b", "c")
    side.breaks()
    side.send("d")
    side.forget()
    side.open()
    side.joined(acknowledged: 1, resumed: true)
    #expect(side.messages.isEmpty, "nothing goes before caughtUp")
    side.tail(side.entry(1, 1, "a"))
    #expect(side.sent == ["2 b", "3 c", "4 d"])
  }

  @Test("after a crash that includes what others had seen already; they are told it once")
  func sendsAgainAfterCrash() {
    var side = Side.live()
    side.send("a", "b")
    side.give(side.entry(1, 1, "a") + side.entry(1, 2, "b") + side.entry(2, 1, "c"))
    side.say(.committed(sequence: 11))
    side.breaks()
    side.forget()
    side.open()
    #expect(side.resume?.next == 2)
    side.sequence = 11
    side.joined(epoch: "f", acknowledged: 1, committed: 11, resumed: true)
    side.snapshot(epoch: "f")
    #expect(side.sent == ["2 b"])
    side.give(side.entry(1, 2, "b") + side.entry(2, 1, "c") + side.entry(2, 2, "d"))
    #expect(side.told.suffix(3) == ["Ada: b, mine, again", "Bob: c, again", "Bob: d"])
    side.breaks()
    side.open()
    #expect(side.resume?.epoch == "f")
  }

  @Test("with another epoch `after` stays in its own until catchUp, and a tail goes on in the new one")
  func tailAcrossEpochs() {
    var side = Side.live()
    side.send("a", "b")
    side.give(side.entry(1, 1, "a") + side.entry(2, 1, "c"))
    side.say(.committed(sequence: 12))
    side.breaks()
    side.open()
    #expect(side.resume == Resume(token: Side.token, epoch: "e", after: 12, next: 2))
    side.sequence = 20
    side.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    side.breaks()
    side.open()
    #expect(side.resume?.epoch == "e", "nothing says that 12 counts in f")
    #expect(side.resume?.after == 12)
    side.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    side.say(.catchUp(.tail, epoch: "f", sequence: 20))
    side.give(Side.entry(2, 2, "d", at: 13))
    side.breaks()
    side.open()
    #expect(side.resume == Resume(token: Side.token, epoch: "f", after: 13, next: 2))
    side.forget()
    side.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    side.tail(Side.entry(2, 3, "e", at: 14), epoch: "f")
    #expect(side.sent == ["2 b"])
    #expect(side.told.contains("Bob: e"))
    #expect(side.told.last == "caught up")
  }

  @Test("committed of an epoch that broke off lets go of nothing in the new one")
  func committedOfFormerEpoch() {
    var side = Side.live()
    side.send("a")
    side.say(.committed(sequence: 90))
    side.breaks()
    side.open()
    side.sequence = 50
    side.joined(epoch: "f", acknowledged: 1, committed: 40, resumed: true)
    side.tail(epoch: "f")
    side.breaks()
    side.open()
    #expect(side.resume?.next == 1, "50 is not on disk")
  }

  @Test("who is no longer known is somebody else, and numbers what it keeps anew")
  func becomesSomebodyElse() {
    var side = Side.live()
    side.send("a", "b", "c")
    side.give(side.entry(1, 1, "a"))
    side.say(.committed(sequence: 11))
    side.breaks()
    side.forget()
    side.open()
    var other = Side.ada
    other.number = 7
    side.joined(as: other, epoch: "f")
    side.snapshot([other], epoch: "f")
    #expect(side.sent == ["1 b", "2 c"])
    #expect(side.told.first == "joined as 7")
    side.give(side.entry(7, 1, "b"))
    #expect(side.told.last == "Ada: b, mine")
  }

  @Test("4009: it joins as somebody else, and what its tail shows to be there is not said again")
  func resumedElsewhere() {
    var side = Side.live()
    side.send("a", "b", "c")
    side.closed(4009, #"{"code":"resumed-elsewhere"}"#)
    side.forget()
    side.open()
    #expect(side.resume == Resume(epoch: "e", after: 10))
    var other = Side.ada
    other.number = 7
    side.joined(as: other)
    side.tail(side.entry(1, 1, "a") + side.entry(1, 2, "b"))
    #expect(side.sent == ["1 c"])
    #expect(side.told.filter { $0.hasPrefix("Ada") } == ["Ada: a, mine", "Ada: b, mine"])
  }

  @Test("who is taken for somebody else and cut again before it is caught up starts from 1 too")
  func becomesSomebodyElseTwice() {
    var side = Side.live()
    side.send("a", "b")
    side.closed(4009)
    side.open()
    var other = Side.ada
    other.number = 7
    side.joined(as: other)
    side.breaks()
    side.forget()
    side.open()
    #expect(side.resume?.next == 1)
    side.joined(as: other, resumed: true)
    side.tail(side.entry(1, 1, "a"))
    #expect(side.sent == ["1 b"])
  }

  @Test("45 s of silence are a broken socket, but not while nobody reads; 15 s are too long to open one")
  func silence() {
    var side = Side.live()
    side.pass(.seconds(44))
    side.session.heard(now: side.now)
    side.take()
    #expect(side.session.deadline == side.now + .seconds(45))
    side.session.reading(false, now: side.now)
    side.take()
    #expect(side.session.deadline == nil)
    side.pass(.seconds(100))
    #expect(side.told == [])
    side.session.reading(true, now: side.now)
    side.take()
    side.pass(.seconds(45))
    #expect(side.told == ["away"])
    #expect(side.opens == [.zero])
    side.pass(.seconds(15))
    #expect(side.opens.count == 2)
    #expect(side.told == ["away", "trouble: The gateway cannot be reached."])
  }

  @Test("a late snapshot that hides whether our entry is there is cleared up by another socket")
  func doubt() {
    var side = Side.live()
    side.send("a", "b")
    side.sequence = 12
    side.snapshot()
    #expect(side.session.deadline == side.now + .seconds(2))
    side.pass(.seconds(2))
    #expect(side.opens == [.zero])
    side.forget()
    side.open()
    side.joined(acknowledged: 2, resumed: true)
    side.tail()
    #expect(side.sent == [])
    side.say(.committed(sequence: 12))
    #expect(side.told.last == "settled")
  }
}
