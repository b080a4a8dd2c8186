import Primitives
import SessionClient
import FoundationEssentials
import Testing
import Platform
import Wire

@Suite("PROTOCOL 3.1: a client's reactions to the gateway's refusals")
struct RefusalHandlingTests {
  @Test(
    "After a `rate-limited` refusal, sending pauses for `retryAfterMs`, then continues from the refused entry"
  )
  func waitsForRate() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.deliver(harness.entry(1, 1, "a"))
    harness.clear()
    harness.refuse(.rateLimited, 2, retryAfterMs: 500)
    harness.send("d")
    harness.send("e", reliably: false)
    #expect(harness.sent == [])
    #expect(harness.session.deadline == harness.now + .milliseconds(500))
    harness.advance(by: .milliseconds(499))
    #expect(harness.sent == [])
    harness.advance(by: .milliseconds(1))
    #expect(harness.sent == ["2 b", "3 c", "4 d"])
  }

  @Test(
    "If the gateway has no space, the refused entry is sent alone until it is accepted",
    arguments: [ErrorCode.sessionQuota, .storageFull])
  func waitsForRoom(code: ErrorCode) {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.clear()
    harness.refuse(code, 1, retryAfterMs: 1000)
    harness.advance(by: .milliseconds(1000))
    #expect(harness.sent == ["1 a"])
    harness.refuse(code, 1, retryAfterMs: 1000)
    harness.advance(by: .milliseconds(1000))
    #expect(harness.sent == ["1 a", "1 a"])
    harness.deliver(harness.entry(1, 1, "a"))
    #expect(harness.sent == ["1 a", "1 a", "2 b", "3 c"])
    #expect(
      harness.events == ["trouble: Messages are not accepted yet: no", "Ada: a, mine"],
      "the problem is reported once, and no entry is reported as refused")
  }

  @Test(
    "If the gateway has no space, removals are sent first, but not before earlier entries with the same key")
  func removesFirst() {
    var harness = SessionHarness.live()
    func send(_ retention: Retention, _ key: UInt64, _ text: String) {
      let key = EntryKey(high: 1, low: key)
      let entry = OutgoingEntry(type: "T", payload: Array(text.utf8), retention: retention, key: key)
      harness.session.enqueue(entry, now: harness.now)
    }
    send(.append, 1, "a")
    send(.remove, 1, "")
    send(.append, 2, "b")
    send(.remove, 3, "")
    harness.session.mark(1, now: harness.now)
    harness.drainEffects()
    #expect(harness.sent == ["1 a", "2 ", "3 b", "4 "])
    harness.clear()
    harness.refuse(.sessionQuota, 1, retryAfterMs: 1000)
    harness.advance(by: .milliseconds(1000))
    #expect(harness.sent == ["1 "])
    harness.deliver(
      harness.entry(
        1, 1, "", flags: EntryFlags(.reliable, retention: .remove), key: EntryKey(high: 1, low: 3)))
    #expect(harness.sent == ["1 ", "2 a", "3 ", "4 b"])
    harness.receive(.committed(sequence: 11))
    #expect(harness.reached == [])
    for number in 2...4 { harness.deliver(harness.entry(1, UInt32(number))) }
    harness.receive(.committed(sequence: 14))
    #expect(harness.reached == [1])
  }

  @Test(
    "After a gateway crash, entries keep their client sequences, because other participants may already have the entries"
  )
  func keepsNumbersOverCrash() {
    var harness = SessionHarness.live()
    let key = EntryKey(high: 1, low: 1)
    harness.send("a")
    harness.session.enqueue(
      OutgoingEntry(type: "T", payload: [], retention: .remove, key: key), now: harness.now)
    harness.drainEffects()
    harness.loseConnection()
    harness.clear()
    harness.open()
    harness.joined(epoch: "f", resumed: true)
    harness.snapshot(epoch: "f")
    harness.refuse(.storageFull, 1, retryAfterMs: 1000)
    harness.clear()
    harness.advance(by: .milliseconds(1000))
    #expect(harness.sent == ["1 a"])
  }

  @Test("After a sequence gap, entries are sent again from the client sequence that the gateway expects")
  func fillsGap() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.clear()
    harness.refuse(.sequenceGap, 3, expected: 2)
    #expect(harness.sent == ["2 b", "3 c"])
    #expect(harness.opens == [])
    harness.refuse(.sequenceGap, 3, expected: 90)
    #expect(harness.opens.count == 1, "client sequence 90 was never sent: the client reconnects")
  }

  @Test("If the gateway expects an entry that is already committed, the client reconnects")
  func asksForTooMuch() {
    var harness = SessionHarness.live()
    harness.send("a", "b")
    harness.deliver(harness.entry(1, 1, "a") + harness.entry(1, 2, "b"))
    harness.receive(.committed(sequence: 12))
    harness.send("c")
    harness.refuse(.sequenceGap, 3, expected: 1)
    #expect(harness.opens.count == 1)
    harness.clear()
    harness.open()
    #expect(harness.resume?.next == 3)
    harness.joined(acknowledged: 0, resumed: true)
    harness.tail()
    #expect(harness.sent == ["3 c"])
  }

  @Test(
    "A permanent refusal is reported, and later entries are still sent",
    arguments: [ErrorCode.messageTooLarge, .badEntry, .unknownParticipant])
  func dropsWhatIsRefused(code: ErrorCode) {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.refuse(code, 2)
    #expect(harness.events == ["refused b: \(code)"])
    harness.deliver(harness.entry(1, 1, "a") + harness.entry(1, 3, "c"))
    harness.receive(.committed(sequence: 12))
    #expect(harness.events.last == "settled")
  }

  @Test(
    "A permanently refused activity change or `end` is reported, and later messages are still sent")
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
      harness.events == [
        "trouble: The activity was not changed: no", "trouble: The session was not ended: no",
      ])
    #expect(harness.sent == ["1 a"])
    harness.refuse(.badRequest, nil)
    #expect(harness.events.count == 2)
  }

  @Test(
    "If a `rate-limited` refusal does not name which of two control messages was refused, the client sends both again"
  )
  func refusedWithProfile() {
    var harness = SessionHarness.live()
    harness.session.change(Profile(name: " \u{7}Eve "), now: harness.now)
    harness.session.change(ActivityChange(title: "New"), now: harness.now)
    harness.drainEffects()
    let controls: [ClientControl] = [.profile(Profile(name: "Eve")), .activity(ActivityChange(title: "New"))]
    #expect(harness.controls == controls)
    harness.refuse(.rateLimited, nil, retryAfterMs: 100)
    harness.advance(by: .milliseconds(100))
    #expect(harness.controls == controls + controls)
  }

  @Test(
    "If a gateway crash loses the refusal of an entry, the client sends an empty entry with the same client sequence"
  )
  func usesUpAgain() {
    var harness = SessionHarness.live()
    harness.send("a", "b", "c")
    harness.refuse(.badEntry, 2)
    harness.loseConnection()
    harness.clear()
    harness.open()
    harness.sequence = 10
    harness.joined(epoch: "f", acknowledged: 0, resumed: true)
    harness.snapshot(epoch: "f")
    #expect(harness.sent == ["1 a", "2 ", "3 c"])
  }
}
