internal import SessionCore
package import Transport
package import Wire

/// Decides at once, under its owner's lock, whether a message is taken: size, type, targets, rate and room in the queue.
package struct SendGate: Sendable {
  /// How many bytes of reliable entries may wait: 64 MiB.
  package static let queueLimit = 64 << 20

  /// A gate that lets nothing through before `open`.
  package init(now: MonotonicTime) { fatalError() }

  /// From here on messages are taken: `join` was called.
  package mutating func open() { fatalError() }

  /// Nothing is taken any more: the session is left or over.
  package mutating func close() { fatalError() }

  /// The limits in force, as `joined` says them.
  package mutating func use(_ limits: Limits, now: MonotonicTime) { fatalError() }

  /// Takes an entry, or says why not; what was refused costs nothing.
  ///
  /// - Returns: whether there is anything to enqueue: nothing goes to nobody.
  package mutating func admit(_ entry: OutgoingEntry, now: MonotonicTime) throws(SendRefusal) -> Bool {
    fatalError()
  }

  /// Takes a control message, which counts as an entry.
  package mutating func admitControl(now: MonotonicTime) throws(SendRefusal) { fatalError() }

  /// The session has let go of so many bytes since it began: its `releasedBytes`.
  package mutating func released(_ bytes: Int) { fatalError() }
}
