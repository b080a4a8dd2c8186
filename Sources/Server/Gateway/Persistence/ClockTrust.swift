internal import Platform
internal import Primitives

/// The wall clock and the monotonic clock at one moment.
struct ClockReading {
  var monotonic: MonotonicTime
  var wall: WallTime
  /// True when the kernel keeps the wall clock synchronised with a time server.
  var isSynchronised: Bool
}

/// Decides from readings of the clocks when the wall clock is trusted. Reads no clock itself.
///
/// A synchronised clock is trusted after `delay` of running time, any other one after `unsynchronisedDelay`. A step of the wall
/// clock, forward or back, begins both times anew.
struct ClockTrust {
  /// The least difference between the progress of the two clocks that counts as a step.
  private static let smallestStep = Duration.seconds(60)

  private let delay: Duration
  private let unsynchronisedDelay: Duration
  /// The start, or the last step.
  private var steadySince: MonotonicTime
  /// Start of the present period of synchronisation; nil while the clock is not synchronised.
  private var synchronisedSince: MonotonicTime?
  private var last: ClockReading

  init(delay: Duration, unsynchronisedDelay: Duration, at reading: ClockReading) {
    self.delay = delay
    self.unsynchronisedDelay = unsynchronisedDelay
    steadySince = reading.monotonic
    synchronisedSince = reading.isSynchronised ? reading.monotonic : nil
    last = reading
  }

  /// Takes the next reading into account.
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

  /// The moment from which the clock is trusted, if it stays as it was read last.
  var begins: MonotonicTime {
    let unsynchronised = steadySince + unsynchronisedDelay
    guard let synchronisedSince else { return unsynchronised }
    return min(unsynchronised, synchronisedSince + delay)
  }
}
