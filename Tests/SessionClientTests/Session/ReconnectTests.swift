import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("PROTOCOL 2.1: a client joins a session, and rejoins after a lost connection")
struct ReconnectTests {
  @Test("The first join contains the profile and no data for a resume")
  func joins() {
    var harness = SessionHarness()
    harness.session.join(now: harness.now)
    harness.session.join(now: harness.now)
    harness.drainEffects()
    #expect(harness.opens == [.zero])
    harness.open()
    #expect(harness.controls == [.join(Join(profile: Profile(name: "Ada")))])
    harness.joined()
    harness.snapshot()
    #expect(
      harness.events == [
        "joined as 1", "snapshot", #"here ["Ada", "Bob"] waiting []"#, "Draw Together by 0", "caught up",
      ])
    #expect(harness.session.token == SessionHarness.token)
  }

  @Test(
    "A lost connection is reported once; the first reconnect is immediate, and later ones are delayed by up to 10 s"
  )
  func comesBackLater() {
    var harness = SessionHarness.live()
    for _ in 0..<12 { harness.loseConnection() }
    // Each delay is random: between 50 % and 100 % of 0.1, 0.2, 0.4 … 10 s. The harness uses 75 %.
    let expected = [0, 75, 150, 300, 600, 1200, 2400, 4800, 7500, 7500, 7500, 7500]
    #expect(harness.opens == expected.map { Duration.milliseconds($0) })
    #expect(harness.events == ["away", "trouble: cut"])
    harness.open()
    harness.joined(resumed: true)
    harness.tail()
    harness.advance(by: .seconds(5))
    harness.clear()
    harness.loseConnection()
    #expect(harness.opens == [.zero], "the connection worked in between")
    #expect(harness.events == ["away"])
  }

  @Test("The delay is at most 4 s if the gateway cannot be reached, and 10 s if it refuses connections")
  func longestDelays() {
    let refusal = SocketEnd.refused(status: 503, detail: "full", retryAfter: nil)
    for (end, longest) in [(.unreachable("no route"), 3000), (refusal, 7500)] {
      var harness = SessionHarness.live()
      harness.loseConnection()
      for _ in 0..<10 { harness.loseConnection(end) }
      #expect(harness.opens.last == .milliseconds(longest), "\(end)")
    }
  }

  @Test(
    "If connections keep breaking within 5 s, the reconnect delay doubles each time, and the problem is reported once"
  )
  func comesBackLaterToWhatDoesNotLast() {
    var harness = SessionHarness.live()
    harness.clear()
    for _ in 0..<6 {
      harness.advance(by: .milliseconds(4999))
      harness.closed(1011)
      harness.open()
      harness.joined(resumed: true)
      harness.tail()
    }
    #expect(harness.opens == [0, 75, 150, 300, 600, 1200].map { Duration.milliseconds($0) })
    #expect(
      harness.events.filter { $0.hasPrefix("trouble") } == [
        "trouble: The gateway closed the connection with code 1011."
      ])
    harness.advance(by: .seconds(5))
    harness.clear()
    harness.closed(1011)
    #expect(harness.opens == [.zero])
    #expect(harness.events == ["away"])
  }

  @Test(
    "A resume has the token, the last delivered sequence, and the first client sequence not yet committed")
  func resumes() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.deliver(harness.entry(2, 1, "from Bob") + harness.entry(1, 1, "a"))
    harness.receive(.committed(sequence: 12))
    harness.loseConnection()
    harness.open()
    #expect(harness.resume == Resume(token: SessionHarness.token, epoch: "e", after: 12, next: 2))
  }

  @Test(
    "A resume has `after`, the last received sequence, if a tail was interrupted, and no `after` if a snapshot was interrupted"
  )
  func wherePlacesAre() {
    var harness = SessionHarness.live()
    harness.loseConnection()
    harness.open()
    harness.joined(resumed: true)
    harness.receive(.catchUp(.tail, epoch: "e", sequence: 12))
    harness.deliver(harness.entry(2, 1))
    harness.loseConnection()
    harness.open()
    #expect(harness.resume?.after == 11)
    harness.joined(resumed: true)
    harness.receive(.catchUp(.snapshot, epoch: "e", sequence: 12))
    harness.deliver(harness.entry(2, 2))
    harness.loseConnection()
    harness.open()
    #expect(harness.resume == Resume(token: SessionHarness.token, next: 1))
  }

  @Test("After a reconnect, entries above `acknowledged` are sent again with the same client sequences")
  func sendsAgain() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.loseConnection()
    harness.send("d")
    harness.clear()
    harness.open()
    harness.joined(acknowledged: 1, resumed: true)
    #expect(harness.messages.isEmpty, "nothing is sent before caughtUp")
    harness.tail(harness.entry(1, 1, "a"))
    #expect(harness.sent == ["2 b", "3 c", "4 d"])
  }

  @Test(
    "After a gateway crash, lost entries are sent again; entries that the client receives again are marked as repeats"
  )
  func sendsAgainAfterCrash() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.deliver(harness.entry(1, 1, "a") + harness.entry(1, 2, "b") + harness.entry(2, 1, "c"))
    harness.receive(.committed(sequence: 11))
    harness.loseConnection()
    harness.clear()
    harness.open()
    #expect(harness.resume?.next == 2)
    harness.sequence = 11
    harness.joined(epoch: "f", acknowledged: 1, committed: 11, resumed: true)
    harness.snapshot(epoch: "f")
    #expect(harness.sent == ["2 b"])
    harness.deliver(harness.entry(1, 2, "b") + harness.entry(2, 1, "c") + harness.entry(2, 2, "d"))
    #expect(harness.events.suffix(3) == ["Ada: b, mine, again", "Bob: c, again", "Bob: d"])
    harness.loseConnection()
    harness.open()
    #expect(harness.resume?.epoch == "f")
  }

  @Test(
    "After an epoch change, a resume states the old epoch until `catchUp` announces a tail in the new epoch")
  func tailAcrossEpochs() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.deliver(harness.entry(1, 1, "a") + harness.entry(2, 1, "c"))
    harness.receive(.committed(sequence: 12))
    harness.loseConnection()
    harness.open()
    #expect(harness.resume == Resume(token: SessionHarness.token, epoch: "e", after: 12, next: 2))
    harness.sequence = 20
    harness.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    harness.loseConnection()
    harness.open()
    #expect(harness.resume?.epoch == "e", "the gateway has not confirmed sequence 12 in epoch f")
    #expect(harness.resume?.after == 12)
    harness.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    harness.receive(.catchUp(.tail, epoch: "f", sequence: 20))
    harness.deliver(SessionHarness.entry(2, 2, "d", at: 13))
    harness.loseConnection()
    harness.open()
    #expect(harness.resume == Resume(token: SessionHarness.token, epoch: "f", after: 13, next: 2))
    harness.clear()
    harness.joined(epoch: "f", acknowledged: 1, committed: 20, resumed: true)
    harness.tail(SessionHarness.entry(2, 3, "e", at: 14), epoch: "f")
    #expect(harness.sent == ["2 b"])
    #expect(harness.events.contains("Bob: e"))
    #expect(harness.events.last == "caught up")
  }

  @Test("A `committed` message of a former epoch releases no entries in the new epoch")
  func committedOfFormerEpoch() {
    var harness = SessionHarness.live()
    harness.send("a")
    harness.receive(.committed(sequence: 90))
    harness.loseConnection()
    harness.open()
    harness.sequence = 50
    harness.joined(epoch: "f", acknowledged: 1, committed: 40, resumed: true)
    harness.tail(epoch: "f")
    harness.loseConnection()
    harness.open()
    #expect(harness.resume?.next == 1, "sequence 50 is not on disk")
  }

  @Test(
    "A client that the gateway no longer knows becomes a new participant; it numbers its pending entries from 1 again"
  )
  func becomesSomebodyElse() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.deliver(harness.entry(1, 1, "a"))
    harness.receive(.committed(sequence: 11))
    harness.loseConnection()
    harness.clear()
    harness.open()
    var other = SessionHarness.ada
    other.number = 7
    harness.joined(as: other, epoch: "f")
    harness.snapshot([other], epoch: "f")
    #expect(harness.sent == ["1 b", "2 c"])
    #expect(harness.events.first == "joined as 7")
    harness.deliver(harness.entry(7, 1, "b"))
    #expect(harness.events.last == "Ada: b, mine")
  }

  @Test(
    "After close code 4009 (resumed elsewhere), the client joins as a new participant; it resends only entries not in the tail"
  )
  func resumedElsewhere() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.closed(4009, #"{"code":"resumed-elsewhere"}"#)
    harness.clear()
    harness.open()
    #expect(harness.resume == Resume(epoch: "e", after: 10))
    var other = SessionHarness.ada
    other.number = 7
    harness.joined(as: other)
    harness.tail(harness.entry(1, 1, "a") + harness.entry(1, 2, "b"))
    #expect(harness.sent == ["1 c"])
    #expect(harness.events.filter { $0.hasPrefix("Ada") } == ["Ada: a, mine", "Ada: b, mine"])
  }

  @Test("A new participant that loses its connection before `caughtUp` starts from client sequence 1 again")
  func becomesSomebodyElseTwice() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.closed(4009)
    harness.open()
    var other = SessionHarness.ada
    other.number = 7
    harness.joined(as: other)
    harness.loseConnection()
    harness.clear()
    harness.open()
    #expect(harness.resume?.next == 1)
    harness.joined(as: other, resumed: true)
    harness.tail(harness.entry(1, 1, "a"))
    #expect(harness.sent == ["1 b"])
  }

  @Test(
    "A socket counts as broken after 35 s of silence, unless reading is paused; opening a socket takes 15 s at most"
  )
  func silence() {
    var harness = SessionHarness.live()
    harness.advance(by: .seconds(34))
    harness.session.bytesReceived(now: harness.now)
    harness.drainEffects()
    #expect(harness.session.deadline == harness.now + .seconds(35))
    harness.session.setReading(false, now: harness.now)
    harness.drainEffects()
    #expect(harness.session.deadline == nil)
    harness.advance(by: .seconds(100))
    #expect(harness.events == [])
    harness.session.setReading(true, now: harness.now)
    harness.drainEffects()
    harness.advance(by: .seconds(35))
    #expect(harness.events == ["away"])
    #expect(harness.opens == [.zero])
    harness.advance(by: .seconds(15))
    #expect(harness.opens.count == 2)
    #expect(harness.events == ["away", "trouble: The gateway cannot be reached."])
  }

  @Test(
    "If a snapshot does not show whether an entry of the client was accepted, the client reconnects after 2 s to find out"
  )
  func doubt() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.sequence = 12
    harness.snapshot()
    #expect(harness.session.deadline == harness.now + .seconds(2))
    harness.advance(by: .seconds(2))
    #expect(harness.opens == [.zero])
    harness.clear()
    harness.open()
    harness.joined(acknowledged: 2, resumed: true)
    harness.tail()
    #expect(harness.sent == [])
    harness.receive(.committed(sequence: 12))
    #expect(harness.events.last == "settled")
  }
}
