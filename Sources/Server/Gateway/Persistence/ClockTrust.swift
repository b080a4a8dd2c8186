internal import Platform
internal import Primitives

/// A reading of the wall clock and the monotonic clock at one moment.
struct ClockReading {
  var monotonic: MonotonicTime
  var wall: WallTime
  /// True when the kernel keeps the wall clock synchronised with a time server.
  var isSynchronised: Bool
}

/// Decides from readings of the clocks when the wall clock is trusted. Does not read the clocks itself.
///
/// A synchronised clock is trusted after `delay` of running time, and any other clock after `unsynchronisedDelay`. A step of the
/// wall clock, forward or back, restarts both delays.
struct ClockTrust {
  /// The minimum difference between the progress of the two clocks that counts as a step.
  private static let smallestStep = Duration.seconds(60)

  private let delay: Duration
  private let unsynchronisedDelay: Duration
  /// The time of the start, or of the last step.
  private var steadySince: MonotonicTime
  /// The start of the present period of synchronisation; nil while the clock is not synchronised.
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

  /// The time from which the clock is trusted, if its state stays as in the last reading.
  var begins: MonotonicTime {
    let unsynchronised = steadySince + unsynchronisedDelay
    guard let synchronisedSince else { return unsynchronised }
    return min(unsynchronised, synchronisedSince + delay)
  }
}
