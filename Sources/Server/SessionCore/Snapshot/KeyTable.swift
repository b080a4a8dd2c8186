internal import Wire

/// Values by retained key, with a table for each key space.
///
/// A session may have a million keys: a key takes 16 bytes here, and is looked up once for a change of its value.
struct KeyTable<Value> {
  private struct Key: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ key: RetainedKey) {
      high = key.key.high
      low = key.key.low
    }
  }

  private var clients: [Key: Value] = [:]
  private var system: [Key: Value] = [:]

  subscript(key: RetainedKey) -> Value? {
    key.isSystem ? system[Key(key)] : clients[Key(key)]
  }

  /// Reads and changes the value of a key in place; nil means that there is none.
  mutating func update<Result>(_ key: RetainedKey, _ body: (inout Value?) -> Result) -> Result {
    key.isSystem ? body(&system[Key(key)]) : body(&clients[Key(key)])
  }

  /// Changes the value of a key in place; a key without one gets the default first.
  mutating func update(
    _ key: RetainedKey, default value: @autoclosure () -> Value, _ body: (inout Value) -> Void
  ) {
    if key.isSystem {
      body(&system[Key(key), default: value()])
    } else {
      body(&clients[Key(key), default: value()])
    }
  }
}
