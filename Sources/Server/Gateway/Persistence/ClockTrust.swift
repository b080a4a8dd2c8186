internal import Platform
internal import Primitives

/// A reading of the wall clock and the monotonic clock at one moment.
struct ClockReading {
  var monotonic: MonotonicTime
  var wall: WallTime
  /// True when the kernel keeps the wall clock synchronised with a time server.
  var isSynchronised: Bool
}

/// Computes the time from which the wall clock is trusted. The input is a series of readings of the wall clock and the monotonic
/// clock; this struct does not read the clocks itself.
///
/// The wall clock is trusted when it has been synchronised for the time `delay`, or when the time `unsynchronisedDelay` has
/// passed since the start of the gateway. A step of the wall clock, forward or back, restarts both delays.
struct ClockTrust {
  /// The smallest difference that counts as a step of the wall clock. Between two readings, the wall clock and the monotonic
  /// clock may measure different durations; the difference of these durations is compared with this value.
  private static let smallestStep = Duration.seconds(60)

  private let delay: Duration
  private let unsynchronisedDelay: Duration
  /// The time of the first reading, or of the last step of the wall clock.
  private var steadySince: MonotonicTime
  /// The time since which the clock has been synchronised without a step; nil while the clock is not synchronised.
  private var synchronisedSince: MonotonicTime?
  private var last: ClockReading

  init(delay: Duration, unsynchronisedDelay: Duration, at reading: ClockReading) {
    self.delay = delay
    self.unsynchronisedDelay = unsynchronisedDelay
    steadySince = reading.monotonic
    synchronisedSince = reading.isSynchronised ? reading.monotonic : nil
    last = reading
  }

  /// Processes the next reading.
  mutating func observe(_ reading: ClockReading) {
    let passed = reading.monotonic - last.monotonic
    let shown = Duration.nanoseconds(
      reading.wall.nanosecondsSince1970 &- last.wall.nanosecondsSince1970)
    let isStep = shown - passed >= Self.smallestStep || passed - shown >= Self.smallestStep
    if isStep { steadySince = reading.monotonic }
    if !reading.isSynchronised {
      synchronisedSince = nil
    } else if isStep || synchronisedSince == nil {
      synchronisedSince = reading.monotonic
    }
    last = reading
  }

  /// The time from which the wall clock is trusted. The time is valid as long as the wall clock makes no step and its state of
  /// synchronisation stays the same as in the last reading.
  var begins: MonotonicTime {
    let unsynchronised = steadySince + unsynchronisedDelay
    guard let synchronisedSince else { return unsynchronised }
    return min(unsynchronised, synchronisedSince + delay)
  }
}
