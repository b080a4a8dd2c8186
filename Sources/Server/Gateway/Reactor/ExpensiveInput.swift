internal import Platform
internal import WebSocket

/// Input that costs much more than its length: compressed messages that inflate to much more, long messages of many small
/// entries, and bodies in tiny chunks.
///
/// A socket with such input takes one step of it, then waits in a separate queue, so that it delays other sockets by one step at
/// most. A reactor inflates one message in steps at a time, so that only one partly inflated message takes memory.
struct ExpensiveInput {
  /// The time for expensive input in a turn.
  static let time = Duration.milliseconds(1)
  /// The number of bytes of a socket that are inflated in a step.
  static let inflatedBytes = 65_536
  /// The number of entries of one message that are taken in a step.
  static let entries = 2_048
  /// The number of pieces of a request's body that are taken in a step.
  static let bodyPieces = 1_024

  let waiting = FairQueue<Connection.Key>()
  /// The time that the present turn has spent on expensive input. It does not make the entries of other sockets wait for more.
  var timeOfTurn = Duration.zero
  /// The inflater for messages that take several steps.
  let inflater = Inflater()
  private var inflating: Connection.Key?
  /// The sockets that wait for the inflater, in their order of arrival, and the position of the first.
  private var inflaterWaiters: [Connection.Key] = []
  private var firstWaiter = 0

  /// Returns the time that the turn has spent, and resets it to zero.
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

  /// Releases the inflater.
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
