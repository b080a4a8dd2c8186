/// Splits a command line into flags, their values and operands.
///
/// A flag is `--NAME`, `--NAME VALUE` or `--NAME=VALUE`. The reader does not know which flags have a value: the caller requests a
/// value with `value(of:)`.
package struct CommandLineReader {
  /// A part of the command line.
  package enum Argument: Equatable, Sendable {
    case flag(Flag)
    case operand(String)
  }

  /// A flag as it was typed.
  package struct Flag: Equatable, Sendable {
    /// The name without its dashes. The name is empty for the argument `--`, if `--` does not end the flags.
    package let name: String
    /// The value after `=`; nil without `=`.
    package let attachedValue: String?

    /// Creates a flag.
    package init(name: String, attachedValue: String?) {
      self.name = name
      self.attachedValue = attachedValue
    }
  }

  private var rest: ArraySlice<String>
  private let endsFlagsAtDashes: Bool
  private let isOperand: (String) -> Bool
  /// False after `--` has ended the flags.
  package private(set) var takesFlags = true

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - arguments: the arguments, without the program's name and its commands.
  ///   - endsFlagsAtDashes: true if all arguments after `--` are operands.
  ///   - isOperand: returns true for an argument that is an operand, although it begins with two dashes.
  package init(
    _ arguments: some Sequence<String>, endsFlagsAtDashes: Bool,
    isOperand: @escaping (String) -> Bool = { _ in false }
  ) {
    rest = Array(arguments)[...]
    self.endsFlagsAtDashes = endsFlagsAtDashes
    self.isOperand = isOperand
  }

  /// Returns the next flag or operand; nil at the end.
  package mutating func next() -> Argument? {
    guard let argument = rest.popFirst() else { return nil }
    guard takesFlags, argument.hasPrefix("--"), !isOperand(argument) else { return .operand(argument) }
    if endsFlagsAtDashes, argument == "--" {
      takesFlags = false
      return next()
    }
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return .flag(Flag(name: String(parts[0]), attachedValue: parts.count == 2 ? String(parts[1]) : nil))
  }

  /// Returns the value of the flag that was read last: the text after `=`, otherwise the next argument; nil if there is neither.
  package mutating func value(of flag: Flag) -> String? {
    flag.attachedValue ?? rest.popFirst()
  }
}
