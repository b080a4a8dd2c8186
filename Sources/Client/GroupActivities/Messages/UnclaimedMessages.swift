import SessionClient
import Wire

/// Messages of types that have no subscriber yet. Messages that the session retains are retained here in the same way
/// (section 3.2 of the wire protocol). Of all other messages, only the newest mebibyte is kept.
struct UnclaimedMessages: Sendable {
  /// The maximum number of bytes of retained messages: the default size limit of a session (`sessionLogBytes`). Messages beyond
  /// this limit are dropped.
  static let maximumRetainedBytes = 256 << 20
  /// The maximum number of bytes of messages that the session does not retain.
  static let maximumTransientBytes = 1 << 20

  private struct Message: Sendable {
    let entry: ReceivedEntry
    let arrival: UInt64
  }
  private var retained: [EntryKey: [Message]] = [:]
  /// The size of `retained`.
  private var retainedBytes = 0
  private var transient: [Message] = []
  /// The number of dropped messages at the front of `transient`. The array is shortened later, by many dropped messages at a
  /// time.
  private var droppedCount = 0
  private var transientBytes = 0
  private var arrival: UInt64 = 0
  private let limit: Int

  /// Creates an empty list.
  ///
  /// - Parameter limit: the maximum number of bytes of retained messages.
  init(limit: Int = Self.maximumRetainedBytes) {
    self.limit = limit
  }

  /// Adds an entry.
  ///
  /// - Parameters:
  ///   - entry: the entry.
  ///   - keeps: true to keep the entry; false to apply only the entry's effect on kept messages with the same key, for example
  ///     because the entry's type has a subscriber.
  mutating func add(_ entry: ReceivedEntry, keeps: Bool) {
    arrival += 1
    let message = Message(entry: entry, arrival: arrival)
    switch entry.flags.retention {
    case .remove: removeKey(entry.key)
    case .replace:
      removeKey(entry.key)
      if keeps { retain(message) }
    case .append: if keeps { retain(message) }
    case .none: if keeps, !entry.isRepeat { appendTransient(message) }
    }
  }

  /// Removes all retained messages, because the snapshot that follows contains everything that the session retains.
  mutating func beginSnapshot() {
    retained.removeAll()
    retainedBytes = 0
  }

  /// Removes the messages of a type and returns them in the order of their arrival.
  mutating func removeAll(ofType type: String) -> [ReceivedEntry] {
    var removed: [Message] = []
    for (key, entries) in retained where entries.contains(where: { $0.entry.type == type }) {
      removed += entries.filter { $0.entry.type == type }
      let rest = entries.filter { $0.entry.type != type }
      removeKey(key)
      for message in rest { retain(message) }
    }
    let remaining = transient[droppedCount...]
    removed += remaining.filter { $0.entry.type == type }
    transient = remaining.filter { $0.entry.type != type }
    droppedCount = 0
    transientBytes = transient.reduce(0) { $0 + $1.entry.cost }
    return removed.sorted { $0.arrival < $1.arrival }.map(\.entry)
  }

  private mutating func retain(_ message: Message) {
    guard retainedBytes + message.entry.cost <= limit else { return }
    retainedBytes += message.entry.cost
    retained[message.entry.key, default: []].append(message)
  }

  private mutating func removeKey(_ key: EntryKey) {
    retainedBytes -= retained.removeValue(forKey: key)?.reduce(0) { $0 + $1.entry.cost } ?? 0
  }

  private mutating func appendTransient(_ message: Message) {
    transient.append(message)
    transientBytes += message.entry.cost
    while transientBytes > Self.maximumTransientBytes, droppedCount < transient.count {
      transientBytes -= transient[droppedCount].entry.cost
      droppedCount += 1
    }
    guard droppedCount > 1_024 || droppedCount == transient.count else { return }
    transient.removeFirst(droppedCount)
    droppedCount = 0
  }
}

extension ReceivedEntry {
  /// The size that counts toward limits, in bytes: the payload, plus 64 for all other members.
  var cost: Int { payload.count + 64 }
}
