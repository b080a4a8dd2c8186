import Primitives
import Testing
import Wire

@testable import SessionClient

@Suite("The schedule by which a client sends within the rate limits")
struct SendPacerTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func pacer(entriesPerSecond: Int = 10) -> SendPacer {
    var limits = Limits()
    limits.entriesPerSecond = entriesPerSecond
    return SendPacer(limits, now: start)
  }

  @Test(
    "As many entries as the rate limit allows in 1.5 s are sent immediately; the next entry waits until the rate limit allows it"
  )
  func burst() {
    var pacer = pacer()
    func take(_ time: MonotonicTime) -> Bool { pacer.take(1, now: time) }
    func begin(_ time: MonotonicTime) -> Bool { pacer.begin(now: time) }
    for _ in 0..<15 { #expect(take(start)) }
    #expect(pacer.deadline == nil)
    #expect(!take(start))
    #expect(pacer.isThrottled && pacer.deadline == start + .milliseconds(100))
    #expect(begin(start + .milliseconds(100)))
    #expect(!pacer.isThrottled)
    #expect(take(start + .milliseconds(100)))
  }

  @Test("A pause stops all sends until its end, and replaces the deadline of the rate limit")
  func pause() {
    var pacer = pacer()
    func take(_ time: MonotonicTime) -> Bool { pacer.take(1, now: time) }
    func takeUnreliable(_ time: MonotonicTime) -> Bool { pacer.takeUnreliable(1, entries: 1, now: time) }
    func begin(_ time: MonotonicTime) -> Bool { pacer.begin(now: time) }
    pacer.drain(now: start)
    #expect(!take(start))
    pacer.pause(until: start + .seconds(2))
    #expect(!begin(start + .seconds(1)))
    #expect(pacer.deadline == start + .seconds(2))
    #expect(!takeUnreliable(start + .seconds(1)))
    #expect(begin(start + .seconds(2)))
    #expect(pacer.deadline == nil)
    #expect(take(start + .seconds(2)))
  }

  @Test("An unreliable entry that exceeds the rate limit is dropped, and no deadline is set for it")
  func unreliable() {
    var pacer = pacer()
    func take(_ entries: Int) -> Bool { pacer.takeUnreliable(1, entries: entries, now: start) }
    #expect(take(15))
    #expect(!take(1))
    #expect(pacer.deadline == nil)
  }

  @Test(
    "When the limits change, no tokens are added or removed; when the socket is lost, the deadline of the rate limit is cleared"
  )
  func update() {
    var pacer = pacer()
    pacer.drain(now: start)
    var limits = Limits()
    limits.entriesPerSecond = 1_000
    pacer.update(limits, now: start)
    let isTaken = pacer.take(1, now: start)
    #expect(!isTaken)
    #expect(pacer.deadline == start + .milliseconds(1))
    pacer.socketLost()
    #expect(pacer.deadline == nil)
  }
}
