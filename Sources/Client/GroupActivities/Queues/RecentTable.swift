/// A dictionary that evicts old entries. The dictionary always keeps the `limit` newest keys, and at most `2 * limit - 1` keys in
/// total.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let limit: Int
  private var recent: [Key: Value] = [:]
  private var older: [Key: Value] = [:]

  /// Creates an empty table.
  init(limit: Int) {
    self.limit = limit
  }

  subscript(key: Key) -> Value? {
    get { recent[key] ?? older[key] }
    set {
      older[key] = nil
      recent[key] = newValue
      guard recent.count >= limit else { return }
      older = recent
      recent = [:]
    }
  }

  subscript(key: Key, default value: Value) -> Value {
    get { self[key] ?? value }
    set { self[key] = newValue }
  }
}
