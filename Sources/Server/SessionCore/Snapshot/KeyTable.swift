internal import Wire

/// A table of values by retained key, with a hash table for each key space.
///
/// A session may have a million keys. A change of a value needs one lookup, and an insertion never moves many values.
struct KeyTable<Value> {
  private var clients = KeySpace<Value>()
  private var system = KeySpace<Value>()

  subscript(key: RetainedKey) -> Value? {
    key.isSystem ? system[key.key] : clients[key.key]
  }

  /// Reads and changes the value of a key in place; nil means that the key has no value.
  mutating func update<Result>(_ key: RetainedKey, _ body: (inout Value?) -> Result) -> Result {
    key.isSystem ? system.update(key.key, body) : clients.update(key.key, body)
  }

  /// Changes the value of a key in place. A key without a value gets the default value first.
  mutating func update(
    _ key: RetainedKey, default value: @autoclosure () -> Value, _ body: (inout Value) -> Void
  ) {
    update(key) { stored in
      var changed = stored.take() ?? value()
      body(&changed)
      stored = changed
    }
  }
}

/// The values of one key space.
///
/// The values are in rows that never move. The index finds the row of a key by the key's hash. A `Dictionary` is not used,
/// because it moves all its values when it grows: with a million values, this takes a tenth of a second, during which the reactor
/// serves no connection.
private struct KeySpace<Value> {
  private struct Row {
    var key: EntryKey
    /// The value; nil in an unused row.
    var value: Value?
  }

  /// The number of rows in a page; a power of two.
  private static var pageRows: Int { 1024 }

  private var index = RowIndex()
  private var pages: [[Row]] = []
  private var rowCount = 0
  private var unusedRows: [Int] = []

  subscript(key: EntryKey) -> Value? {
    guard let row = row(of: key, hash: Self.hash(key)) else { return nil }
    return pages[row / Self.pageRows][row % Self.pageRows].value
  }

  mutating func update<Result>(_ key: EntryKey, _ body: (inout Value?) -> Result) -> Result {
    let hash = Self.hash(key)
    guard let row = row(of: key, hash: hash) else {
      var value: Value?
      defer { if let value { insert(key, value, hash: hash) } }
      return body(&value)
    }
    defer {
      if pages[row / Self.pageRows][row % Self.pageRows].value == nil {
        index.remove(row, hash: hash)
        unusedRows.append(row)
        if unusedRows.count == rowCount { self = KeySpace() }
      }
    }
    return body(&pages[row / Self.pageRows][row % Self.pageRows].value)
  }

  private mutating func insert(_ key: EntryKey, _ value: Value, hash: UInt64) {
    let new = Row(key: key, value: value)
    let row = unusedRows.popLast() ?? rowCount
    if row < rowCount {
      pages[row / Self.pageRows][row % Self.pageRows] = new
    } else {
      if row % Self.pageRows == 0 {
        pages.append([])
        // The first page grows on demand, because most sessions have few keys.
        if row > 0 { pages[pages.count - 1].reserveCapacity(Self.pageRows) }
      }
      pages[pages.count - 1].append(new)
      rowCount += 1
    }
    index.insert(row, hash: hash)
  }

  private func row(of key: EntryKey, hash: UInt64) -> Int? {
    index.row(hash: hash) { pages[$0 / Self.pageRows][$0 % Self.pageRows].key == key }
  }

  /// Returns the hash of a key. Clients cannot predict the hash, because it depends on a random seed of this process.
  private static func hash(_ key: EntryKey) -> UInt64 { UInt64(bitPattern: Int64(key.hashValue)) }
}

/// A hash index of row numbers.
///
/// A large index has many parts, and an insertion makes at most one of them grow.
struct RowIndex {
  /// The number of rows at which the index is divided into parts.
  private static let largestWhole = 4096
  private static let partBits: UInt64 = 6

  private var parts: [Part] = []

  /// Returns the row with this hash for which `isRow` returns true.
  func row(hash: UInt64, where isRow: (Int) -> Bool) -> Int? {
    parts.isEmpty ? nil : parts[part(of: hash)].row(hash: hash, where: isRow)
  }

  mutating func insert(_ row: Int, hash: UInt64) {
    if parts.isEmpty { parts = [Part()] }
    if parts.count == 1, parts[0].count == Self.largestWhole { divide() }
    parts[part(of: hash)].insert(Part.slot(row, hash))
  }

  /// Removes a row, which must be in the index with this hash.
  mutating func remove(_ row: Int, hash: UInt64) {
    parts[part(of: hash)].remove(Part.slot(row, hash))
  }

  private func part(of hash: UInt64) -> Int {
    parts.count == 1 ? 0 : Int(hash >> (64 - Self.partBits))
  }

  private mutating func divide() {
    let whole = parts[0].slots
    parts = Array(repeating: Part(), count: 1 << Self.partBits)
    for slot in whole where slot != 0 { parts[part(of: slot)].insert(slot) }
  }

  /// A hash table with linear probing. A used slot contains the first 32 bits of a key's hash, and the number of the key's row
  /// plus one. An unused slot is 0.
  private struct Part {
    private(set) var slots: [UInt64] = Array(repeating: 0, count: 8)
    private(set) var count = 0

    static func slot(_ row: Int, _ hash: UInt64) -> UInt64 { hash & ~0xFFFF_FFFF | UInt64(UInt32(row + 1)) }
    static func row(_ slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }
    static func position(_ hash: UInt64, _ slotCount: Int) -> Int { Int(hash >> 32) & (slotCount - 1) }

    func row(hash: UInt64, where isRow: (Int) -> Bool) -> Int? {
      var position = Self.position(hash, slots.count)
      while slots[position] != 0 {
        let slot = slots[position]
        if slot >> 32 == hash >> 32, isRow(Self.row(slot)) { return Self.row(slot) }
        position = (position + 1) & (slots.count - 1)
      }
      return nil
    }

    mutating func insert(_ slot: UInt64) {
      if 4 * count >= 3 * slots.count { grow() }
      place(slot)
      count += 1
    }

    mutating func remove(_ slot: UInt64) {
      let mask = slots.count - 1
      var gap = Self.position(slot, slots.count)
      while slots[gap] != slot { gap = (gap + 1) & mask }
      // The entry of a later slot moves into the gap if a search for this entry would otherwise end at the gap.
      var next = (gap + 1) & mask
      while slots[next] != 0 {
        let first = Self.position(slots[next], slots.count)
        if (next - first) & mask >= (next - gap) & mask {
          slots[gap] = slots[next]
          gap = next
        }
        next = (next + 1) & mask
      }
      slots[gap] = 0
      count -= 1
    }

    private mutating func grow() {
      let old = slots
      slots = Array(repeating: 0, count: 2 * old.count)
      for slot in old where slot != 0 { place(slot) }
    }

    private mutating func place(_ slot: UInt64) {
      var position = Self.position(slot, slots.count)
      while slots[position] != 0 { position = (position + 1) & (slots.count - 1) }
      slots[position] = slot
    }
  }
}
