internal import Primitives

/// The share of the time in which a loop has work, from 0 to 1, over the last 32 ms or so.
final class LoopLoad {
  private static let memory = Duration.milliseconds(32)

  private(set) var value = 0.0
  private var busy = Duration.zero
  private var began: MonotonicTime?

  /// Counts a turn. Between turns the loop waits.
  ///
  /// - Parameters:
  ///   - jobsBegan: the time at which the jobs before the turn began, which are work too; nil without jobs.
  ///   - start: the beginning of the turn.
  ///   - end: the end of the turn.
  ///   - yielding: the part of the turn that no other work waits for, such as reading expensive input.
  func turned(
    jobsBegan: MonotonicTime? = nil, from start: MonotonicTime, to end: MonotonicTime,
    yielding: Duration = .zero
  ) {
    let start = jobsBegan ?? start
    let began = began ?? start
    self.began = began
    busy += end - start - yielding
    let passed = end - began
    guard passed >= Self.memory / 4 else { return }
    value += (min(1, busy / passed) - value) * min(1, passed / Self.memory)
    busy = .zero
    self.began = end
  }
}
