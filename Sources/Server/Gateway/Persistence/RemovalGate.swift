internal import FoundationEssentials
internal import Platform
internal import Primitives
internal import Wire

/// The wall clock and its state of synchronisation. The removal of sessions depends on both. Tests provide other clocks.
package struct GatewayClock: Sendable {
  /// Reads the wall clock.
  let wall: @Sendable () -> WallTime
  /// Returns true when the wall clock is synchronised.
  let isSynchronised: @Sendable () -> Bool

  /// The clocks of this machine.
  package static let ofThisMachine = GatewayClock(
    wall: { WallTime.now() }, isSynchronised: { WallTime.isSynchronised })

  /// The present wall time.
  var date: Date {
    Date(timeIntervalSince1970: Double(wall().nanosecondsSince1970) / 1e9)
  }
}

/// Decides whether expired sessions may be removed: only while the wall clock is trusted. A wrong clock would let sessions expire
/// too early.
///
/// Any thread may use the gate.
final class RemovalGate: Sendable {
  /// The change of the gate between two readings of the clocks.
  enum Change {
    /// Expired sessions may be removed from now on.
    case opened
    /// Expired sessions must not be removed from now on.
    case closed
    case same
  }

  private struct State {
    var trust: ClockTrust
    var wasOpen = false
  }

  let clock: GatewayClock
  private let state: Guarded<State>

  init(_ clock: GatewayClock, limits: Limits, now: MonotonicTime) {
    self.clock = clock
    state = Guarded(
      State(
        trust: ClockTrust(
          delay: .seconds(limits.removalDelaySeconds),
          unsynchronisedDelay: .seconds(limits.unsynchronisedRemovalDelaySeconds),
          at: Self.reading(of: clock, now: now))))
  }

  /// Reads the clocks, and returns the change since the previous call. Called about once a second.
  func readClocks(now: MonotonicTime) -> Change {
    let isOpen = isOpen(now: now)
    return state.withLock { state in
      defer { state.wasOpen = isOpen }
      guard isOpen != state.wasOpen else { return .same }
      return isOpen ? .opened : .closed
    }
  }

  /// Returns the time until sessions may be removed, if the clock's state does not change; zero when removals are allowed now.
  ///
  /// This call reads the clocks itself, so that it detects a step of the wall clock immediately. A caller that compares dates
  /// must read the date before this call, so that this call detects a step that made the date wrong.
  func wait(now: MonotonicTime) -> Duration {
    let reading = Self.reading(of: clock, now: now)
    return state.withLock { state in
      state.trust.observe(reading)
      return max(.zero, state.trust.begins - now)
    }
  }

  /// True when expired sessions may be removed.
  func isOpen(now: MonotonicTime) -> Bool { wait(now: now) == .zero }

  private static func reading(of clock: GatewayClock, now: MonotonicTime) -> ClockReading {
    ClockReading(monotonic: now, wall: clock.wall(), isSynchronised: clock.isSynchronised())
  }
}
