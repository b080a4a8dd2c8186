import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("3.1: what a participant's harness does when it is refused")
struct RefusalHandlingTests {
  @Test("rate-limited: nothing goes for that time, then all from the refused one on")
  func waitsForRate() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.give(harness.entry(1, 1, "a"))
    harness.forget()
    harness.refuse(.rateLimited, 2, retryAfterMs: 500)
    harness.send("d")
    harness.send("e", reliably: false)
    #expect(harness.sent == [])
    #expect(harness.session.deadline == harness.now + .milliseconds(500))
    harness.pass(.milliseconds(499))
    #expect(harness.sent == [])
    harness.pass(.milliseconds(1))
    #expect(harness.sent == ["2 b", "3 c", "4 d"])
  }

  @Test(
    "no room: the refused one goes alone until it is taken",
    arguments: [ErrorCode.sessionQuota, .storageFull])
  func waitsForRoom(code: ErrorCode) {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.forget()
    harness.refuse(code, 1, retryAfterMs: 1000)
    harness.pass(.milliseconds(1000))
    #expect(harness.sent == ["1 a"])
    harness.refuse(code, 1, retryAfterMs: 1000)
    harness.pass(.milliseconds(1000))
    #expect(harness.sent == ["1 a", "1 a"])
    harness.give(harness.entry(1, 1, "a"))
    #expect(harness.sent == ["1 a", "1 a", "2 b", "3 c"])
    #expect(
      harness.told == ["trouble: What was sent waits: no", "Ada: a, mine"], "once, and nothing is refused")
  }

  @Test("no room: removing passes, so it goes first, but not before what waits under the same key")
  func removesFirst() {
    var harness = SessionHarness.live()
    func say(_ retention: Retention, _ key: UInt64, _ text: String) {
      let key = EntryKey(high: 1, low: key)
      let entry = OutgoingEntry(type: "T", payload: Array(text.utf8), retention: retention, key: key)
      harness.session.enqueue(entry, now: harness.now)
    }
    say(.append, 1, "a")
    say(.remove, 1, "")
    say(.append, 2, "b")
    say(.remove, 3, "")
    harness.session.mark(1, now: harness.now)
    harness.take()
    #expect(harness.sent == ["1 a", "2 ", "3 b", "4 "])
    harness.forget()
    harness.refuse(.sessionQuota, 1, retryAfterMs: 1000)
    harness.pass(.milliseconds(1000))
    #expect(harness.sent == ["1 "])
    harness.give(
      harness.entry(
        1, 1, "", flags: EntryFlags(.reliable, retention: .remove), key: EntryKey(high: 1, low: 3)))
    #expect(harness.sent == ["1 ", "2 a", "3 ", "4 b"])
    harness.say(.committed(sequence: 11))
    #expect(harness.reached == [])
    for number in 2...4 { harness.give(harness.entry(1, UInt32(number))) }
    harness.say(.committed(sequence: 14))
    #expect(harness.reached == [1])
  }

  @Test("what went out before a crash keeps its number: others may have seen it")
  func keepsNumbersOverCrash() {
    var harness = SessionHarness.live()
    let key = EntryKey(high: 1, low: 1)
    harness.send("a")
    harness.session.enqueue(
      OutgoingEntry(type: "T", payload: [], retention: .remove, key: key), now: harness.now)
    harness.take()
    harness.breaks()
    harness.forget()
    harness.open()
    harness.joined(epoch: "f", resumed: true)
    harness.snapshot(epoch: "f")
    harness.refuse(.storageFull, 1, retryAfterMs: 1000)
    harness.forget()
    harness.pass(.milliseconds(1000))
    #expect(harness.sent == ["1 a"])
  }

  @Test("a gap is filled from the sequence that is due")
  func fillsGap() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.forget()
    harness.refuse(.sequenceGap, 3, expected: 2)
    #expect(harness.sent == ["2 b", "3 c"])
    #expect(harness.opens == [])
    harness.refuse(.sequenceGap, 3, expected: 90)
    #expect(harness.opens.count == 1, "that cannot be: another socket tells")
  }

  @Test("a gateway that asks for what is long on disk is told by another socket what is still held")
  func asksForTooMuch() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.give(harness.entry(1, 1, "a") + harness.entry(1, 2, "b"))
    harness.say(.committed(sequence: 12))
    harness.send("c")
    harness.refuse(.sequenceGap, 3, expected: 1)
    #expect(harness.opens.count == 1)
    harness.forget()
    harness.open()
    #expect(harness.resume?.next == 3)
    harness.joined(acknowledged: 0, resumed: true)
    harness.tail()
    #expect(harness.sent == ["3 c"])
  }

  @Test(
    "what is refused for good is told, and those behind it go on",
    arguments: [ErrorCode.messageTooLarge, .badEntry, .unknownParticipant])
  func dropsWhatIsRefused(code: ErrorCode) {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.refuse(code, 2)
    #expect(harness.told == ["refused b: \(code)"])
    harness.give(harness.entry(1, 1, "a") + harness.entry(1, 3, "c"))
    harness.say(.committed(sequence: 12))
    #expect(harness.told.last == "settled")
  }

  @Test(
    "a change of the activity, or the end, that is refused for good is told, and what is behind it goes on")
  func refusedControl() {
    var harness = SessionHarness.live()
    harness.session.change(ActivityChange(title: "New"), now: harness.now)
    harness.session.end(now: harness.now)
    harness.send("a")
    #expect(harness.controls == [.activity(ActivityChange(title: "New"))])
    harness.refuse(.badRequest, nil)
    #expect(harness.controls.last == .end)
    harness.refuse(.internal, nil)
    #expect(
      harness.told == ["trouble: The activity was not changed: no", "trouble: The session was not ended: no"])
    #expect(harness.sent == ["1 a"])
    harness.refuse(.badRequest, nil)
    #expect(harness.told.count == 2)
  }

  @Test("who is refused for the rate does not hear which control message: both go again")
  func refusedWithProfile() {
    var harness = SessionHarness.live()
    harness.session.change(Profile(name: " \u{7}Eve "), now: harness.now)
    harness.session.change(ActivityChange(title: "New"), now: harness.now)
    harness.take()
    let controls: [ClientControl] = [.profile(Profile(name: "Eve")), .activity(ActivityChange(title: "New"))]
    #expect(harness.controls == controls)
    harness.refuse(.rateLimited, nil, retryAfterMs: 100)
    harness.pass(.milliseconds(100))
    #expect(harness.controls == controls + controls)
  }

  @Test("a gateway that has forgotten a refusal is given its client sequence used up again")
  func usesUpAgain() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.refuse(.badEntry, 2)
    harness.breaks()
    harness.forget()
    harness.open()
    harness.sequence = 10
    harness.joined(epoch: "f", acknowledged: 0, resumed: true)
    harness.snapshot(epoch: "f")
    #expect(harness.sent == ["1 a", "2 ", "3 c"])
  }
}
