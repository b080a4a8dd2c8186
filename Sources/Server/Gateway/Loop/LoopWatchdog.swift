internal import Primitives

/// Finds the event loops that hang, by a probe of each.
final class LoopWatchdog: Sendable {
  /// The time that a loop has for an answer. Turns take milliseconds; more than this is not a matter of load.
  static let answerTime = Duration.seconds(10)

  private let probes: [LoopProbe]

  /// Creates a watchdog of loops that are numbered from 0.
  init(loops: Int) {
    probes = (0..<loops).map { _ in LoopProbe() }
  }

  /// Sends a question to each loop that owes no answer.
  ///
  /// - Parameters:
  ///   - caller: the loop that runs the call; it is not asked, because it is taking a turn. Nil on other threads.
  ///   - now: the present time.
  ///   - send: sends a question to a loop; returns false when its mailbox is full.
  /// - Returns: the loops that have owed an answer for too long.
  func hangingLoops(seenBy caller: Int?, at now: MonotonicTime, send: (Int) -> Bool) -> [Int] {
    probes.indices.filter { loop in
      guard loop != caller, let askedAt = probes[loop].ask(at: now, send: { send(loop) }) else {
        return false
      }
      return now - askedAt >= Self.answerTime
    }
  }

  /// Answers the questions to a loop. Called by that loop in a turn.
  func answer(from loop: Int) {
    probes[loop].answer()
  }
}
