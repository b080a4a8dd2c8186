internal import Primitives

/// How much of the time a loop has work, from 0 to 1, over the last few hundredths of a second.
struct LoopLoad {
  private static let memory = Duration.milliseconds(32)

  private(set) var value = 0.0
  private var busy = Duration.zero
  private var began: MonotonicTime?

  /// A turn ended; between turns the loop waits. The jobs before it are work as well as the turn itself.
  ///
  /// - Parameters:
  ///   - jobsBegan: when they were begun; nil: there were none.
  ///   - start: when the turn itself was.
  ///   - end: when it was over.
  ///   - yielding: the part of the turn for which no other work waits, such as `ExpensiveInput`.
  mutating func turned(
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
