internal import Platform
internal import Primitives

/// Whether enough bytes pass: whoever sends or takes one now and then would hold a thread for ever.
struct StallDetector {
  private let bytes: Int
  private let time: Duration
  private var since = MonotonicTime.now()
  private var count = 0

  /// Wants as many bytes in each such time.
  init(_ timeouts: RequestTimeouts) {
    bytes = timeouts.stallBytes
    time = timeouts.stall
  }

  /// When it is too slow.
  var deadline: MonotonicTime { since + time }

  /// Takes note of bytes that passed.
  mutating func record(_ more: Int) {
    count += more
    guard count >= bytes else { return }
    count = 0
    since = .now()
  }
}
