internal import Primitives

/// Finds event loops that hang. It has one probe for each loop.
final class LoopWatchdog: Sendable {
  /// The time limit for an answer of a loop. Turns take milliseconds, so no load explains a longer delay.
  static let answerTime = Duration.seconds(10)

  private let probes: [LoopProbe]

  /// Creates a watchdog of loops that are numbered from 0.
  init(loops: Int) {
    probes = (0..<loops).map { _ in LoopProbe() }
  }

  /// Sends a question to each loop that has answered all earlier questions.
  ///
  /// - Parameters:
  ///   - caller: the loop that runs the call; it gets no question, because it obviously runs. Nil on other threads.
  ///   - now: the present time.
  ///   - send: sends a question to a loop; returns false when its mailbox is full.
  /// - Returns: the loops that have not answered within the time limit.
  func hangingLoops(seenBy caller: Int?, at now: MonotonicTime, send: (Int) -> Bool) -> [Int] {
    probes.indices.filter { loop in
      guard loop != caller, let askedAt = probes[loop].ask(at: now, send: { send(loop) }) else {
        return false
      }
      return now - askedAt >= Self.answerTime
    }
  }

  /// Answers the questions to a loop. The loop itself calls this in a turn.
  func answer(from loop: Int) {
    probes[loop].answer()
  }
}
