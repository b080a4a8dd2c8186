import CLinux
import Testing
import Platform
import Primitives
import Wire
import TestSupport

@testable import Gateway

/// What is noticed of a reactor that hangs.
@Suite("Signs of life of reactors")
struct PulseTests {
  @Test("A reactor that owes an answer for long is stuck, until it takes a turn again")
  func hanging() async throws {
    let gateway = try RunningGateway(reactors: 2)
    let shared = gateway.gateway.shared
    // Of an even id the first of two is the owner, of an odd one the second.
    let other = shared.owner(of: SessionID(high: 0, low: 1))
    let now = MonotonicTime.now()
    let release = OwnedDescriptor(owning: clinux_eventfd_create(1))
    let hasBegun = OwnedDescriptor(owning: clinux_eventfd_create(1))
    let (waits, tells) = (release.rawValue, hasBegun.rawValue)
    let hang = Task { await other.hang(telling: tells, until: waits) }
    // It does nothing from here on.
    _ = clinux_poll(tells, clinux_readable, -1)
    #expect(shared.stuckReactors(seenBy: 0, now: now) == [])
    #expect(shared.stuckReactors(seenBy: 0, now: now + .seconds(9)) == [])
    #expect(shared.stuckReactors(seenBy: 0, now: now + .seconds(10)) == [1])
    // The other one was not asked before, and answers.
    #expect(gateway.gateway.hangingReactors(now: now + .seconds(10)) == [1])
    // It does not hear of itself from itself.
    #expect(shared.stuckReactors(seenBy: 1, now: now + .seconds(10)) == [])
    _ = clinux_eventfd_signal(waits)
    await hang.value
    let deadline = TestTimeout.deadline
    while !shared.stuckReactors(seenBy: 0, now: now + .seconds(10)).isEmpty, .now() < deadline {
      await Task.yield()
    }
    #expect(shared.stuckReactors(seenBy: 0, now: now + .seconds(10)) == [])
    _ = consume release
    _ = consume hasBegun
  }
}

extension PulseTests {
  @Test("A question that found no room is put again; only who answers none of them is stuck")
  func lost() {
    let begin = MonotonicTime.now()
    let pulse = Pulse()
    #expect(pulse.ask(begin) { false } == nil)
    // Still no room: since the first question it owes an answer.
    #expect(pulse.ask(begin + .seconds(30)) { false } == begin)
    // There is room again: it was not asked before.
    #expect(pulse.ask(begin + .seconds(60)) { true } == nil)
    #expect(pulse.ask(begin + .seconds(61)) { Bool(false) } == begin + .seconds(60))
    pulse.answer()
    #expect(pulse.ask(begin + .seconds(62)) { true } == nil)
    // It may answer before whoever asked has returned.
    pulse.answer()
    #expect(pulse.ask(begin + .seconds(63)) { false } == nil)
    #expect(
      pulse.ask(begin + .seconds(64)) {
        pulse.answer()
        return true
      } == nil)
    #expect(pulse.ask(begin + .seconds(99)) { true } == nil, "it owes nothing")
  }
}

extension Reactor {
  /// Does nothing until it is released.
  fileprivate func hang(telling begun: CInt, until descriptor: CInt) {
    _ = clinux_eventfd_signal(begun)
    _ = clinux_poll(descriptor, clinux_readable, -1)
  }
}
