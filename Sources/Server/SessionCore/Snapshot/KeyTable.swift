internal import Wire

/// A table of values by retained key, with a hash table for each key space.
///
/// A session may have a million keys. A key takes 16 bytes here, and a change of its value needs one lookup.
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

  /// Reads and changes the value of a key in place; nil means that the key has no value.
  mutating func update<Result>(_ key: RetainedKey, _ body: (inout Value?) -> Result) -> Result {
    key.isSystem ? body(&system[Key(key)]) : body(&clients[Key(key)])
  }

  /// Changes the value of a key in place. A key without a value gets the default value first.
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
