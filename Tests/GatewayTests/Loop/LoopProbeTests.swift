import CLinux
import Testing
import Platform
import Primitives
import Wire
import TestSupport

@testable import Gateway

@Suite("The watchdog of the event loops reports a loop that hangs")
struct LoopWatchdogTests {
  @Test("A reactor that has not answered a probe for 10 s counts as hanging until its next turn")
  func hangingReactor() async throws {
    let gateway = try RunningGateway(reactors: 2)
    let shared = gateway.gateway.shared
    // The first of two reactors owns the sessions with even ids, and the second owns the sessions with odd ids.
    let other = shared.owner(of: SessionID(high: 0, low: 1))
    let now = MonotonicTime.now()
    let release = OwnedDescriptor(owning: clinux_eventfd_create(1))
    let hasBegun = OwnedDescriptor(owning: clinux_eventfd_create(1))
    let (releaseDescriptor, begunDescriptor) = (release.rawValue, hasBegun.rawValue)
    let hang = Task { await other.hang(signalling: begunDescriptor, until: releaseDescriptor) }
    // From here on, the reactor performs no turn.
    _ = clinux_poll(begunDescriptor, clinux_readable, -1)
    #expect(shared.hangingReactors(seenBy: 0, now: now) == [])
    #expect(shared.hangingReactors(seenBy: 0, now: now + .seconds(9)) == [])
    #expect(shared.hangingReactors(seenBy: 0, now: now + .seconds(10)) == [1])
    // The first reactor has answered its probe, so only the second one counts as hanging.
    #expect(gateway.gateway.hangingReactors(now: now + .seconds(10)) == [1])
    // The reactor that looks for hanging reactors (`seenBy`) does not probe itself.
    #expect(shared.hangingReactors(seenBy: 1, now: now + .seconds(10)) == [])
    _ = clinux_eventfd_signal(releaseDescriptor)
    await hang.value
    let deadline = TestTimeout.deadline
    while !shared.hangingReactors(seenBy: 0, now: now + .seconds(10)).isEmpty, .now() < deadline {
      await Task.yield()
    }
    #expect(shared.hangingReactors(seenBy: 0, now: now + .seconds(10)) == [])
    _ = consume release
    _ = consume hasBegun
  }
}

extension LoopWatchdogTests {
  @Test(
    "Each loop except the caller's gets one probe at a time; a loop that answers does not count as hanging")
  func loops() {
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    let watchdog = LoopWatchdog(loops: 3)
    var asked: [Int] = []
    func hanging(atSeconds seconds: Int) -> [Int] {
      watchdog.hangingLoops(seenBy: 0, at: start.adding(seconds: seconds)) {
        asked.append($0)
        return true
      }
    }
    #expect(hanging(atSeconds: 0) == [])
    #expect(asked == [1, 2])
    watchdog.answer(from: 1)
    #expect(hanging(atSeconds: 9) == [])
    #expect(asked == [1, 2, 1], "loop 2 has not answered the first probe")
    #expect(hanging(atSeconds: 10) == [2])
    #expect(hanging(atSeconds: 19) == [1, 2])
    watchdog.answer(from: 2)
    #expect(hanging(atSeconds: 20) == [1])
  }
}

@Suite("LoopProbe detects if an event loop hangs")
struct LoopProbeTests {
  @Test(
    "A probe that could not be sent is sent again; a loop that has answered all probes does not count as hanging"
  )
  func fullMailbox() {
    let start = MonotonicTime.now()
    let probe = LoopProbe()
    #expect(probe.ask(at: start) { false } == nil)
    // The mailbox is still full, so the loop counts as hanging since the first attempt.
    #expect(probe.ask(at: start + .seconds(30)) { false } == start)
    // The mailbox is no longer full, so this probe is sent. It is the first probe that was sent, so the loop counts as hanging
    // only since the time of this probe.
    #expect(probe.ask(at: start + .seconds(60)) { true } == nil)
    #expect(probe.ask(at: start + .seconds(61)) { Bool(false) } == start + .seconds(60))
    probe.answer()
    #expect(probe.ask(at: start + .seconds(62)) { true } == nil)
    // The loop may answer a probe before the call that sends it has returned.
    probe.answer()
    #expect(probe.ask(at: start + .seconds(63)) { false } == nil)
    #expect(
      probe.ask(at: start + .seconds(64)) {
        probe.answer()
        return true
      } == nil)
    #expect(probe.ask(at: start + .seconds(99)) { true } == nil, "the loop has answered all probes")
  }
}

extension Reactor {
  /// Blocks the loop until the descriptor `released` is readable.
  fileprivate func hang(signalling begun: CInt, until released: CInt) {
    _ = clinux_eventfd_signal(begun)
    _ = clinux_poll(released, clinux_readable, -1)
  }
}
