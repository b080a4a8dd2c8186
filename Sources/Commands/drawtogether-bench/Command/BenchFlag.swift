/// A flag of the command line: what it takes, what for, and where it goes.
struct BenchFlag: Sendable {
  /// Puts a value into the options; false when it is not accepted.
  typealias Store = @Sendable (inout BenchOptions, String) -> Bool

  /// With its dashes.
  let name: String
  /// What stands for the value in the help; nil for a flag that takes none.
  let placeholder: String?
  /// What it takes, in words; for one without a value never said.
  let accepted: String
  let help: String
  /// The modes that take it.
  let modes: [BenchMode]
  let store: Store

  /// A flag without a value.
  static func mark(
    _ name: String, _ path: any WritableKeyPath<BenchOptions, Bool> & Sendable, _ modes: [BenchMode],
    _ help: String
  ) -> BenchFlag {
    BenchFlag(name: name, placeholder: nil, accepted: "", help: help, modes: modes) { options, _ in
      options[keyPath: path] = true
      return true
    }
  }

  /// A flag that takes a whole number.
  static func count(
    _ name: String, _ path: any WritableKeyPath<BenchOptions, Int> & Sendable, _ range: ClosedRange<Int>,
    _ modes: [BenchMode], _ help: String
  ) -> BenchFlag {
    number(name, range, modes, help) { $0[keyPath: path] = $1 }
  }

  /// A flag that takes a whole number and has no default.
  static func optionalCount(
    _ name: String, _ path: any WritableKeyPath<BenchOptions, Int?> & Sendable, _ range: ClosedRange<Int>,
    _ modes: [BenchMode], _ help: String
  ) -> BenchFlag {
    number(name, range, modes, help) { $0[keyPath: path] = $1 }
  }

  /// A flag that takes seconds, or so many a second.
  static func decimal(
    _ name: String, _ placeholder: String, _ range: ClosedRange<Double>, _ modes: [BenchMode], _ help: String,
    _ set: @escaping @Sendable (inout BenchOptions, Double) -> Void
  ) -> BenchFlag {
    let accepted = "a number from \(range.lowerBound) to \(range.upperBound)"
    return BenchFlag(name: name, placeholder: placeholder, accepted: accepted, help: help, modes: modes) {
      options, text in
      guard let value = Double(text), range.contains(value) else { return false }
      set(&options, value)
      return true
    }
  }

  private static func number(
    _ name: String, _ range: ClosedRange<Int>, _ modes: [BenchMode], _ help: String,
    _ set: @escaping @Sendable (inout BenchOptions, Int) -> Void
  ) -> BenchFlag {
    let accepted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return BenchFlag(name: name, placeholder: "N", accepted: accepted, help: help, modes: modes) {
      options, text in
      guard let value = Int(text), range.contains(value) else { return false }
      set(&options, value)
      return true
    }
  }
}
