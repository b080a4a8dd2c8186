import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("3.1: what a participant's side does when it is refused")
struct RefusedSayingTests {
  @Test("rate-limited: nothing goes for that time, then all from the refused one on")
  func waitsForRate() {
    var side = Side.live()
    side.send("a", "b", "c")
    side.give(side.entry(1, 1, "a"))
    side.forget()
    side.refuse(.rateLimited, 2, retryAfterMs: 500)
    side.send("d")
    side.send("e", reliably: false)
    #expect(side.sent == [])
    #expect(side.session.deadline == side.now + .milliseconds(500))
    side.pass(.milliseconds(499))
    #expect(side.sent == [])
    side.pass(.milliseconds(1))
    #expect(side.sent == ["2 b", "3 c", "4 d"])
  }

  @Test(
    "no room: the refused one goes alone until it is taken",
    arguments: [ErrorCode.sessionQuota, .storageFull])
  func waitsForRoom(code: ErrorCode) {
    var side = Side.live()
    side.send("a", "b", "c")
    side.forget()
    side.refuse(code, 1, retryAfterMs: 1000)
    side.pass(.milliseconds(1000))
    #expect(side.sent == ["1 a"])
    side.refuse(code, 1, retryAfterMs: 1000)
    side.pass(.milliseconds(1000))
    #expect(side.sent == ["1 a", "1 a"])
    side.give(side.entry(1, 1, "a"))
    #expect(side.sent == ["1 a", "1 a", "2 b", "3 c"])
    #expect(
      side.told == ["trouble: What was sent waits: no", "Ada: a, mine"], "once, and nothing is refused")
  }

  @Test("no room: removing passes, so it goes first, but not before what waits under the same key")
  func removesFirst() {
    var side = Side.live()
    func say(_ retention: Retention, _ key: UInt64, _ text: String) {
      let key = EntryKey(high: 1, low: key)
      let entry = OutgoingEntry(type: "T", payload: Array(text.utf8), retention: retention, key: key)
      side.session.enqueue(entry, now: side.now)
    }
    say(.append, 1, "a")
    say(.remove, 1, "")
    say(.append, 2, "b")
    say(.remove, 3, "")
    side.session.mark(1, now: side.now)
    side.take()
    #expect(side.sent == ["1 a", "2 ", "3 b", "4 "])
    side.forget()
    side.refuse(.sessionQuota, 1, retryAfterMs: 1000)
    side.pass(.milliseconds(1000))
    #expect(side.sent == ["1 "])
    side.give(
      side.entry(1, 1, "", flags: EntryFlags(.reliable, retention: .remove), key: EntryKey(high: 1, low: 3)))
    #expect(side.sent == ["1 ", "2 a", "3 ", "4 b"])
    side.say(.committed(sequence: 11))
    #expect(side.reached == [])
    for number in 2...4 { side.give(side.entry(1, UInt32(number))) }
    side.say(.committed(sequence: 14))
    #expect(side.reached == [1])
  }

  @Test("what went out before a crash keeps its number: others may have seen it")
  func keepsNumbersOverCrash() {
    var side = Side.live()
    let key = EntryKey(high: 1, low: 1)
    side.send("a")
    side.session.enqueue(
      OutgoingEntry(type: "T", payload: [], retention: .remove, key: key), now: side.now)
    side.take()
    side.breaks()
    side.forget()
    side.open()
    side.joined(epoch: "f", resumed: true)
    side.snapshot(epoch: "f")
    side.refuse(.storageFull, 1, retryAfterMs: 1000)
    side.forget()
    side.pass(.milliseconds(1000))
    #expect(side.sent == ["1 a"])
  }

  @Test("a gap is filled from the sequence that is due")
  func fillsGap() {
    var side = Side.live()
    side.send("a", "b", "c")
    side.forget()
    side.refuse(.sequenceGap, 3, expected: 2)
    #expect(side.sent == ["2 b", "3 c"])
    #expect(side.opens == [])
    side.refuse(.sequenceGap, 3, expected: 90)
    #expect(side.opens.count == 1, "that cannot be: another socket tells")
  }

  @Test("a gateway that asks for what is long on disk is told by another socket what is still held")
  func asksForTooMuch() {
    var side = Side.live()
    side.send("a", "b")
    side.give(side.entry(1, 1, "a") + side.entry(1, 2, "b"))
    side.say(.committed(sequence: 12))
    side.send("c")
    side.refuse(.sequenceGap, 3, expected: 1)
    #expect(side.opens.count == 1)
    side.forget()
    side.open()
    #expect(side.resume?.next == 3)
    side.joined(acknowledged: 0, resumed: true)
    side.tail()
    #expect(side.sent == ["3 c"])
  }

  @Test(
    "what is refused for good is told, and those behind it go on",
    arguments: [ErrorCode.messageTooLarge, .badEntry, .unknownParticipant])
  func dropsWhatIsRefused(code: ErrorCode) {
    var side = Side.live()
    side.send("a", "b", "c")
    side.refuse(code, 2)
    #expect(side.told == ["refused b: \(code)"])
    side.give(side.entry(1, 1, "a") + side.entry(1, 3, "c"))
    side.say(.committed(sequence: 12))
    #expect(side.told.last == "settled")
  }

  @Test(
    "a change of the activity, or the end, that is refused for good is told, and what is behind it goes on")
  func refusedControl() {
    var side = Side.live()
    side.session.change(ActivityChange(title: "New"), now: side.now)
    side.session.end(now: side.now)
    side.send("a")
    #expect(side.controls == [.activity(ActivityChange(title: "New"))])
    side.refuse(.badRequest, nil)
    #expect(side.controls.last == .end)
    side.refuse(.internal, nil)
    #expect(
      side.told == ["trouble: The activity was not changed: no", "trouble: The session was not ended: no"])
    #expect(side.sent == ["1 a"])
    side.refuse(.badRequest, nil)
    #expect(side.told.count == 2)
  }

  @Test("who is refused for the rate does not hear which control message: both go again")
  func refusedWithProfile() {
    var side = Side.live()
    side.session.change(Profile(name: " \u{7}Eve "), now: side.now)
    side.session.change(ActivityChange(title: "New"), now: side.now)
    side.take()
    let controls: [ClientControl] = [.profile(Profile(name: "Eve")), .activity(ActivityChange(title: "New"))]
    #expect(side.controls == controls)
    side.refuse(.rateLimited, nil, retryAfterMs: 100)
    side.pass(.milliseconds(100))
    #expect(side.controls == controls + controls)
  }

  @Test("a gateway that has forgotten a refusal is given its client sequence used up again")
  func usesUpAgain() {
    var side = Side.live()
    side.send("a", "b", "c")
    side.refuse(.badEntry, 2)
    side.breaks()
    side.forget()
    side.open()
    side.sequence = 10
    side.joined(epoch: "f", acknowledged: 0, resumed: true)
    side.snapshot(epoch: "f")
    #expect(side.sent == ["1 a", "2 ", "3 c"])
  }
}
