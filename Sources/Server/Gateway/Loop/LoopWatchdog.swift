internal import Primitives

/// A watchdog that finds event loops that hang. It has one probe for each loop.
final class LoopWatchdog: Sendable {
  /// The time limit for the answer of a loop. A turn takes milliseconds, so even a high load does not explain a longer delay.
  static let answerTime = Duration.seconds(10)

  private let probes: [LoopProbe]

  /// Creates a watchdog for a number of loops. The loops are numbered from 0.
  init(loops: Int) {
    probes = (0..<loops).map { _ in LoopProbe() }
  }

  /// Sends a probe to each loop that has answered all earlier probes, and finds the loops that hang.
  ///
  /// - Parameters:
  ///   - caller: the loop on whose thread this function is called; nil on other threads. The caller gets no probe, because it
  ///     cannot hang while it makes this call.
  ///   - now: the present time.
  ///   - send: sends a probe to a loop; returns false when its mailbox is full.
  /// - Returns: the loops that have not answered within the time limit.
  func hangingLoops(seenBy caller: Int?, at now: MonotonicTime, send: (Int) -> Bool) -> [Int] {
    probes.indices.filter { loop in
      guard loop != caller, let askedAt = probes[loop].ask(at: now, send: { send(loop) }) else {
        return false
      }
      return now - askedAt >= Self.answerTime
    }
  }

  /// Answers all probes of a loop. The loop itself calls this function in a turn.
  func answer(from loop: Int) {
    probes[loop].answer()
  }
}
