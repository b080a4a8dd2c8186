import Testing
import Wire

@testable import SessionCore

@Suite("The table of values by retained key")
struct KeyTableTests {
  private static func key(_ number: UInt64, isSystem: Bool = false) -> RetainedKey {
    RetainedKey(key: EntryKey(high: 7, low: number), isSystem: isSystem)
  }

  @Test("A key of the gateway and a key of clients with the same id have separate values")
  func keySpaces() {
    var table = KeyTable<Int>()
    table.update(Self.key(1)) { $0 = 10 }
    table.update(Self.key(1, isSystem: true)) { $0 = 20 }
    #expect(table[Self.key(1)] == 10)
    #expect(table[Self.key(1, isSystem: true)] == 20)
    #expect(table[Self.key(2)] == nil)
  }

  @Test(
    "`update` returns the result of its closure; the default value is used only if the key has no value")
  func updates() {
    var table = KeyTable<Int>()
    let isMissing = table.update(Self.key(1)) { $0 == nil }
    #expect(isMissing)
    #expect(table[Self.key(1)] == nil)
    table.update(Self.key(1), default: 5) { $0 += 1 }
    table.update(Self.key(1), default: 5) { $0 += 1 }
    #expect(table[Self.key(1)] == 7)
  }

  @Test(
    "After random insertions, changes and removals, the key table has the same values as a dictionary",
    arguments: [40, 3_000, 30_000] as [UInt64])
  func sameAsDictionary(keyCount: UInt64) {
    var random = SeededGenerator(seed: keyCount)
    var table = KeyTable<UInt64>()
    var expected: [RetainedKey: UInt64] = [:]
    for step in 0..<6 * keyCount {
      let key = Self.key(random.next() % keyCount, isSystem: random.next() % 8 == 0)
      // In some phases most steps insert, in others most steps remove.
      let value = random.next() % 8 < (step / keyCount % 2 == 0 ? 6 : 2) ? step : nil
      let old = table.update(key) { stored in
        defer { stored = value }
        return stored
      }
      #expect(old == expected[key])
      expected[key] = value
    }
    let differences = (0..<keyCount).flatMap { [Self.key($0), Self.key($0, isSystem: true)] }
      .filter { table[$0] != expected[$0] }
    #expect(differences.isEmpty)
  }
}
