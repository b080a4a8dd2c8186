internal import Primitives

/// The load of a loop: the fraction of the time in which it has work, from 0 to 1, over about the last 32 ms.
final class LoopLoad {
  /// 32 ms in nanoseconds. The type is an integer, because every turn computes with it, and a `Duration` has 128 bits.
  private static let memory: Int64 = 32_000_000

  private(set) var value = 0.0
  /// The nanoseconds with work since `began`.
  private var busy: Int64 = 0
  private var began: MonotonicTime?

  /// Adds a turn to the measurement. Between turns the loop waits.
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
    busy += end.nanoseconds - start.nanoseconds - yielding.wholeNanoseconds
    let passed = end.nanoseconds - began.nanoseconds
    guard passed >= Self.memory / 4 else { return }
    let share = min(1, Double(busy) / Double(passed))
    value += (share - value) * min(1, Double(passed) / Double(Self.memory))
    busy = 0
    self.began = end
  }
}
