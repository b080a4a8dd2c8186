/// A flag of the command line.
struct BenchFlag: Sendable {
  /// Parses a value and stores it in the options. Returns false for an invalid value.
  typealias Store = @Sendable (inout BenchOptions, String) -> Bool

  /// The name of the flag, with its dashes.
  let name: String
  /// The placeholder for the flag's value in the help; nil for a switch.
  let placeholder: String?
  /// The accepted values, as the phrase after "expected" in an error; empty for a switch.
  let expected: String
  let help: String
  /// The modes that accept this flag.
  let modes: [BenchMode]
  let store: Store

  /// Creates a switch.
  static func toggle(
    _ name: String, _ path: any WritableKeyPath<BenchOptions, Bool> & Sendable, _ modes: [BenchMode],
    _ help: String
  ) -> BenchFlag {
    BenchFlag(name: name, placeholder: nil, expected: "", help: help, modes: modes) { options, _ in
      options[keyPath: path] = true
      return true
    }
  }

  /// Creates a flag with a whole number.
  static func count(
    _ name: String, _ path: any WritableKeyPath<BenchOptions, Int> & Sendable, _ range: ClosedRange<Int>,
    _ modes: [BenchMode], _ help: String
  ) -> BenchFlag {
    number(name, range, modes, help) { $0[keyPath: path] = $1 }
  }

  /// Creates a flag with a whole number and no default.
  static func optionalCount(
    _ name: String, _ path: any WritableKeyPath<BenchOptions, Int?> & Sendable, _ range: ClosedRange<Int>,
    _ modes: [BenchMode], _ help: String
  ) -> BenchFlag {
    number(name, range, modes, help) { $0[keyPath: path] = $1 }
  }

  /// Creates a flag with a decimal number.
  static func decimal(
    _ name: String, _ placeholder: String, _ range: ClosedRange<Double>, _ modes: [BenchMode], _ help: String,
    _ set: @escaping @Sendable (inout BenchOptions, Double) -> Void
  ) -> BenchFlag {
    let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
    return BenchFlag(name: name, placeholder: placeholder, expected: expected, help: help, modes: modes) {
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
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return BenchFlag(name: name, placeholder: "N", expected: expected, help: help, modes: modes) {
      options, text in
      guard let value = Int(text), range.contains(value) else { return false }
      set(&options, value)
      return true
    }
  }
}
