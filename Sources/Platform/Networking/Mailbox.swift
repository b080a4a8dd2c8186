internal import Platform
internal import Synchronization

/// Values on their way to an event loop, first in, first out.
///
/// Any thread puts, the loop drains. A value is given away by being put, so that it need not be `Sendable`:
/// a connection can move from one loop to another this way, with all it refers to.
package final class Mailbox<Message>: Sendable {
  /// The most messages that may wait.
  package let capacity: Int
  private let loop: EventLoopThread
  private let waiting = Guarded<[Envelope<Message>]>([])
  /// Spares a turn the lock when nothing waits. Set before the loop is woken, so that the turn it is woken for sees it.
  private let hasMail = Atomic<Bool>(false)

  /// Makes the mailbox of a loop, for at most `capacity` messages at a time.
  package init(waking loop: EventLoopThread, capacity: Int) {
    precondition(capacity > 0, "a mailbox has room for a message")
    self.loop = loop
    self.capacity = capacity
  }

  /// Puts a message at the end and wakes the loop, or answers `false` when the mailbox is full: the
  /// message is then gone, and released.
  package func put(_ message: sending Message) -> Bool {
    let envelope = Envelope(message)
    let isPut = waiting.withLock { waiting in
      guard waiting.count < capacity else { return false }
      waiting.append(envelope)
      return true
    }
    if isPut {
      hasMail.store(true, ordering: .releasing)
      loop.wake()
    }
    return isPut
  }

  /// Takes out what has arrived and gives it to the closure, in order; what arrives meanwhile waits for
  /// the next call. For the loop's thread, once a turn.
  package func drain(_ receive: (sending Message) -> Void) {
    guard hasMail.load(ordering: .acquiring) else { return }
    // Before the messages are fetched: what is put meanwhile sets it again.
    hasMail.store(false, ordering: .sequentiallyConsistent)
    let batch = waiting.withLock { waiting in
      let batch = waiting
      // No room is kept: a burst must not hold its memory for ever.
      waiting = []
      return batch
    }
    for envelope in batch { receive(envelope.open()) }
  }
}

/// A message between two threads.
///
/// Sendable whatever is inside, for it was `sending` when it was closed in: the sender holds no reference
/// into it, and the mailbox hands each envelope to one receiver, once.
private struct Envelope<Message>: @unchecked Sendable {
  private let message: Message

  init(_ message: sending Message) {
    self.message = message
  }

  func open() -> sending Message {
    message
  }
}
