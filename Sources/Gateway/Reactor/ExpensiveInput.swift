internal import Transport
internal import WebSocket

/// Input that costs much more than its length: compressed messages that inflate to much more, long messages of many small entries,
/// and bodies in tiny chunks.
///
/// A socket that brings such input does one step of it, then waits in a line of its own, so that it delays no other socket by
/// more than a step. One message of a reactor is inflated in steps at a time: only one holds what it has become so far.
struct ExpensiveInput {
  /// The time in a turn for all of it.
  static let time = Duration.milliseconds(1)
  /// The number of bytes that a socket has inflated in a step.
  static let inflatedBytes = 65_536
  /// The number of entries of one message that are taken in a step.
  static let entries = 2_048
  /// The number of pieces of a request's body that are taken in a step.
  static let bodyPieces = 1_024

  var waiting = WaitingLine()
  /// What the present turn has spent on it. Entries of others need not wait for more to go with them because of that.
  var timeOfTurn = Duration.zero
  /// Inflates messages that take several steps.
  let inflater = Inflater()
  private var inflating: Connection.Key?
  /// The sockets that wait for the inflater, first come first served, and the position of the first.
  private var inflaterWaiters: [Connection.Key] = []
  private var firstWaiter = 0

  /// Begins anew to measure what a turn spends.
  mutating func takeTimeOfTurn() -> Duration {
    defer { timeOfTurn = .zero }
    return timeOfTurn
  }

  /// Gives the inflater to a socket until its message is whole.
  ///
  /// - Returns: false when another socket has it.
  mutating func claimInflater(for key: Connection.Key) -> Bool {
    if inflating == nil { inflating = key }
    return inflating == key
  }

  /// Takes the inflater back.
  ///
  /// - Returns: false if this socket does not have it.
  mutating func releaseInflater(of key: Connection.Key) -> Bool {
    guard inflating == key else { return false }
    inflating = nil
    return true
  }

  /// Puts a socket at the end of the queue for the inflater.
  mutating func queueForInflater(_ key: Connection.Key) {
    inflaterWaiters.append(key)
  }

  /// Takes the first socket out of the queue for the inflater. The socket may be gone.
  mutating func takeInflaterWaiter() -> Connection.Key? {
    guard firstWaiter < inflaterWaiters.count else { return nil }
    defer {
      firstWaiter += 1
      if firstWaiter * 2 > inflaterWaiters.count {
        inflaterWaiters.removeFirst(firstWaiter)
        firstWaiter = 0
      }
    }
    return inflaterWaiters[firstWaiter]
  }
}
