internal import FoundationEssentials
internal import Platform
internal import Primitives
internal import Wire

/// The clocks that decide about removals; tests provide their own.
package struct GatewayClock: Sendable {
  /// Reads the wall clock.
  let wall: @Sendable () -> WallTime
  /// Returns true when the wall clock is synchronised.
  let isSynchronised: @Sendable () -> Bool

  /// The clock of this machine.
  package static let ofThisMachine = GatewayClock(
    wall: { WallTime.now() }, isSynchronised: { WallTime.isSynchronised })

  /// The present time by the calendar.
  var date: Date {
    Date(timeIntervalSince1970: Double(wall().nanosecondsSince1970) / 1e9)
  }
}

/// Keeps a wrong wall clock from removing sessions: closed until the clock is trusted.
///
/// Any thread may use it.
final class RemovalGate: Sendable {
  /// The effect of reading the clocks.
  enum Change {
    case opened
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

  /// Reads the clocks; called about once a second.
  func readClocks(now: MonotonicTime) -> Change {
    let isOpen = isOpen(now: now)
    return state.withLock { state in
      defer { state.wasOpen = isOpen }
      guard isOpen != state.wasOpen else { return .same }
      return isOpen ? .opened : .closed
    }
  }

  /// The time until sessions may be removed, if the clock stays as it is; zero when they may be.
  ///
  /// Reads the clocks, so that a step counts from the moment it happened. A caller that compares dates reads its date before.
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
