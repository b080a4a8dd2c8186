import SessionClient
import Wire

/// Messages of types that nobody listens to yet: what the session keeps, as it keeps it (section 3.2 of the wire), and
/// of the rest the newest mebibyte.
struct HeldMessages: Sendable {
  /// The most bytes that are held of what the session keeps: as much as a session may, unless the gateway says otherwise
  /// (`sessionLogBytes`). What is more is not held.
  static let keptBytes = 256 << 20
  /// The most bytes that are held of what the session does not keep.
  static let passingBytes = 1 << 20

  private struct Held: Sendable {
    let entry: ReceivedEntry
    let order: UInt64
  }
  private var kept: [EntryKey: [Held]] = [:]
  /// What `kept` holds, in bytes.
  private var weight = 0
  private var passing: [Held] = []
  /// How many of `passing`, from the front, are gone.
  private var gone = 0
  private var bytes = 0
  private var order: UInt64 = 0
  private let limit: Int

  /// Nothing yet; what the session keeps is held up to that many bytes.
  init(limit: Int = Self.keptBytes) {
    self.limit = limit
  }

  /// Takes an entry; of a type that somebody listens to only what it does to its key is taken.
  mutating func take(_ entry: ReceivedEntry, holds: Bool) {
    order += 1
    let held = Held(entry: entry, order: order)
    switch entry.flags.retention {
    case .remove: forget(entry.key)
    case .replace:
      forget(entry.key)
      if holds { keep(held) }
    case .append: if holds { keep(held) }
    case .none: if holds, !entry.isRepeat { pass(held) }
    }
  }

  /// A snapshot begins: it tells anew all that the session keeps.
  mutating func beginSnapshot() {
    kept.removeAll()
    weight = 0
  }

  /// Gives up what is held of a type, in the order in which it came.
  mutating func release(_ type: String) -> [ReceivedEntry] {
    var released: [Held] = []
    for (key, entries) in kept where entries.contains(where: { $0.entry.type == type }) {
      released += entries.filter { $0.entry.type == type }
      let rest = entries.filter { $0.entry.type != type }
      forget(key)
      for held in rest { keep(held) }
    }
    let left = passing[gone...]
    released += left.filter { $0.entry.type == type }
    passing = left.filter { $0.entry.type != type }
    gone = 0
    bytes = passing.reduce(0) { $0 + $1.entry.cost }
    return released.sorted { $0.order < $1.order }.map(\.entry)
  }

  private mutating func keep(_ held: Held) {
    guard weight + held.entry.cost <= limit else { return }
    weight += held.entry.cost
    kept[held.entry.key, default: []].append(held)
  }

  private mutating func forget(_ key: EntryKey) {
    weight -= kept.removeValue(forKey: key)?.reduce(0) { $0 + $1.entry.cost } ?? 0
  }

  private mutating func pass(_ held: Held) {
    passing.append(held)
    bytes += held.entry.cost
    while bytes > Self.passingBytes, gone < passing.count {
      bytes -= passing[gone].entry.cost
      gone += 1
    }
    guard gone > 1_024 || gone == passing.count else { return }
    passing.removeFirst(gone)
    gone = 0
  }
}

extension ReceivedEntry {
  /// What it counts against limits, in bytes: its payload, and something for all else.
  var cost: Int { payload.count + 64 }
}
