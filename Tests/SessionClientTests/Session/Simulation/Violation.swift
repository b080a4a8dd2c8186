import SessionCore
import Primitives

/// A violated rule.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws a violation unless the condition is true.
func require(_ condition: Bool, _ words: @autoclosure () -> String) throws {
  if !condition { throw Violation(words()) }
}

extension SeededGenerator {
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
