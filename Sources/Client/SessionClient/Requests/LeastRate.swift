internal import Platform
internal import Primitives

/// Whether enough bytes pass: whoever sends or takes one now and then would hold a thread for ever.
struct LeastRate {
  private let bytes: Int
  private let time: Duration
  private var since = MonotonicTime.now()
  private var count = 0

  /// Wants as many bytes in each such time.
  init(_ patience: RequestPatience) {
    bytes = patience.stallBytes
    time = patience.stall
  }

  /// When it is too slow.
  var deadline: MonotonicTime { since + time }

  /// Takes note of bytes that passed.
  mutating func note(_ more: Int) {
    count += more
    guard count >= bytes else { return }
    count = 0
    since = .now()
  }
}
