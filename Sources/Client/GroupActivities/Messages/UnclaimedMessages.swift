import SessionClient
import Wire

/// Messages of types that nobody listens to yet: what the session keeps, as it keeps it (section 3.2 of the wire), and
/// of the rest the newest mebibyte.
struct UnclaimedMessages: Sendable {
  /// The most bytes that are held of what the session keeps: as much as a session may, unless the gateway says otherwise
  /// (`sessionLogBytes`). What is more is not held.
  static let maximumRetainedBytes = 256 << 20
  /// The most bytes that are held of what the session does not keep.
  static let maximumTransientBytes = 1 << 20

  private struct Message: Sendable {
    let entry: ReceivedEntry
    let arrival: UInt64
  }
  private var retained: [EntryKey: [Message]] = [:]
  /// What `kept` holds, in bytes.
  private var retainedBytes = 0
  private var transient: [Message] = []
  /// How many of `passing`, from the front, are gone.
  private var droppedCount = 0
  private var transientBytes = 0
  private var arrival: UInt64 = 0
  private let limit: Int

  /// Nothing yet; what the session keeps is held up to that many bytes.
  init(limit: Int = Self.maximumRetainedBytes) {
    self.limit = limit
  }

  /// Takes an entry; of a type that somebody listens to only what it does to its key is taken.
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

  /// A snapshot begins: it tells anew all that the session keeps.
  mutating func beginSnapshot() {
    retained.removeAll()
    retainedBytes = 0
  }

  /// Gives up what is held of a type, in the order in which it came.
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
  /// What it counts against limits, in bytes: its payload, and something for all else.
  var cost: Int { payload.count + 64 }
}
