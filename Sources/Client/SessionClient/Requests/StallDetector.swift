internal import Platform
internal import Primitives

/// Detects a transfer that is too slow. Without this check, a peer that transfers a byte now and then would occupy a thread
/// forever.
struct StallDetector {
  private let bytes: Int
  private let time: Duration
  private var since = MonotonicTime.now()
  private var count = 0

  /// Creates a detector with the limits `stallBytes` and `stall`.
  init(_ timeouts: RequestTimeouts) {
    bytes = timeouts.stallBytes
    time = timeouts.stall
  }

  /// The time at which the transfer counts as stalled.
  var deadline: MonotonicTime { since + time }

  /// Records transferred bytes.
  mutating func record(_ more: Int) {
    count += more
    guard count >= bytes else { return }
    count = 0
    since = .now()
  }
}
