internal import Platform
internal import Synchronization

/// A queue of messages to an event loop, first in, first out.
///
/// Any thread can send a message; the loop receives it. The sender keeps no reference to the message, so the message need not be
/// `Sendable`. In this way, a connection can move to another loop with all objects that it references.
package final class Mailbox<Message>: Sendable {
  /// The maximum number of messages in the queue.
  package let capacity: Int
  private let loop: EventLoopThread
  private let waiting = Guarded<[Envelope<Message>]>([])
  /// False while the queue is empty, so that a turn without messages takes no lock. The flag is set before the loop is woken, so
  /// that the resulting turn sees it.
  private let hasMessages = Atomic<Bool>(false)

  /// Creates the mailbox of a loop, for at most `capacity` messages at a time.
  package init(waking loop: EventLoopThread, capacity: Int) {
    precondition(capacity > 0, "the capacity of a mailbox must be above zero")
    self.loop = loop
    self.capacity = capacity
  }

  /// Appends a message and wakes the loop. Returns `false` if the mailbox is full; the message is then released.
  package func enqueue(_ message: sending Message) -> Bool {
    let envelope = Envelope(message)
    let isEnqueued = waiting.withLock { waiting in
      guard waiting.count < capacity else { return false }
      waiting.append(envelope)
      return true
    }
    if isEnqueued {
      hasMessages.store(true, ordering: .releasing)
      loop.wake()
    }
    return isEnqueued
  }

  /// Removes the messages and passes them to the closure, in order. Messages that arrive during the call stay for the next call.
  /// Called by the loop's thread, once per turn.
  package func drain(_ receive: (sending Message) -> Void) {
    guard hasMessages.load(ordering: .acquiring) else { return }
    deliver(receive)
  }

  /// Removes the messages and passes them to the closure. This is a separate function, because a function of a generic class
  /// looks up the types of its variables when it is called. A turn without messages does not call this function, and avoids the
  /// cost.
  @inline(never)
  private func deliver(_ receive: (sending Message) -> Void) {
    // The flag is cleared before the messages are fetched: a message that is appended afterwards sets it again.
    hasMessages.store(false, ordering: .sequentiallyConsistent)
    let batch = waiting.withLock { waiting in
      let batch = waiting
      // Releases the storage, so that the memory for a burst of messages does not stay allocated.
      waiting = []
      return batch
    }
    for envelope in batch { receive(envelope.open()) }
  }
}

/// A message between two threads.
///
/// It is Sendable for any content, because the message was `sending` when it was wrapped. So the sender has no reference to the
/// content, and the mailbox passes each envelope once, to one receiver.
private struct Envelope<Message>: @unchecked Sendable {
  private let message: Message

  init(_ message: sending Message) {
    self.message = message
  }

  func open() -> sending Message {
    message
  }
}
