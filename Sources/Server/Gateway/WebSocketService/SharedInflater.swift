internal import WebSocket

/// The inflater of a reactor for compressed messages that take several steps.
///
/// Only one socket uses it at a time, until its message is complete. So only one partly inflated message needs memory.
final class SharedInflater {
  let inflater = Inflater()
  private var holder: Connection.Key?
  /// The sockets that wait for the inflater, in their order of arrival, and the position of the first.
  private var waiters: [Connection.Key] = []
  private var firstWaiter = 0

  /// Assigns the inflater to a socket until its message is complete.
  ///
  /// - Returns: false when another socket has it.
  func claim(for key: Connection.Key) -> Bool {
    if holder == nil { holder = key }
    return holder == key
  }

  /// Releases the inflater.
  ///
  /// - Returns: false if it was not assigned to this socket.
  func release(from key: Connection.Key) -> Bool {
    guard holder == key else { return false }
    holder = nil
    return true
  }

  /// Puts a socket at the end of the queue for the inflater.
  func enqueue(_ key: Connection.Key) {
    waiters.append(key)
  }

  /// Removes and returns the first socket in the queue. The socket may have closed.
  func dequeue() -> Connection.Key? {
    guard firstWaiter < waiters.count else { return nil }
    defer {
      firstWaiter += 1
      if firstWaiter * 2 > waiters.count {
        waiters.removeFirst(firstWaiter)
        firstWaiter = 0
      }
    }
    return waiters[firstWaiter]
  }
}
