internal import Primitives

/// The load of an event loop, from 0 to 1: the fraction of the time in which the loop was working, measured over about the last
/// 32 ms.
final class LoopLoad {
  /// The measured period: 32 ms in nanoseconds. It is an `Int64`, because every turn computes with it, and computing with a
  /// `Duration` (128 bits) takes longer.
  private static let memory: Int64 = 32_000_000

  private(set) var value = 0.0
  /// The number of nanoseconds since `began` in which the loop was working.
  private var busy: Int64 = 0
  private var began: MonotonicTime?

  /// Adds a turn to the measurement. The time between two turns counts as idle.
  ///
  /// - Parameters:
  ///   - jobsBegan: the beginning of the jobs that ran just before the turn, and that count as work too; nil without jobs.
  ///   - start: the beginning of the turn.
  ///   - end: the end of the turn.
  ///   - yielding: the time in the turn that was spent on expensive input and on writing bulk data. It does not count as work,
  ///     because both yield to all other work.
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
