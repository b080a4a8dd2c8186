internal import WebSocket

/// The inflater that a reactor uses for compressed messages that are inflated in several steps.
///
/// One socket at a time uses the inflater, until the socket's message is complete. So a reactor has memory for only one partly
/// inflated message.
final class SharedInflater {
  let inflater = Inflater()
  private var holder: Connection.Key?
  /// The sockets that wait for the inflater, in their order of arrival. The first one is at `firstWaiter`; earlier elements are
  /// no longer in the queue.
  private var waiters: [Connection.Key] = []
  private var firstWaiter = 0

  /// Assigns the inflater to a socket until the socket's message is complete.
  ///
  /// - Returns: false if another socket has the inflater.
  func claim(for key: Connection.Key) -> Bool {
    if holder == nil { holder = key }
    return holder == key
  }

  /// Releases the inflater.
  ///
  /// - Returns: false if the inflater was not assigned to this socket.
  func release(from key: Connection.Key) -> Bool {
    guard holder == key else { return false }
    holder = nil
    return true
  }

  /// Puts a socket at the end of the queue for the inflater.
  func enqueue(_ key: Connection.Key) {
    waiters.append(key)
  }

  /// Removes and returns the first socket in the queue. The socket may have closed while it waited.
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
