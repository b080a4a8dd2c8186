import CommandSupport
import Testing

@Suite("CommandLineReader divides arguments into flags, values and operands")
struct CommandLineReaderTests {
  private typealias Argument = CommandLineReader.Argument

  private func read(_ arguments: [String], endsFlagsAtDashes: Bool = true) -> [Argument] {
    var reader = CommandLineReader(
      arguments, endsFlagsAtDashes: endsFlagsAtDashes, isOperand: { $0 == "--operand" })
    var all: [Argument] = []
    while let argument = reader.next() { all.append(argument) }
    return all
  }

  private static func flag(_ name: String, _ value: String? = nil) -> Argument {
    .flag(CommandLineReader.Flag(name: name, attachedValue: value))
  }

  @Test("An argument that begins with two dashes is a flag. All other arguments are operands")
  func kinds() {
    #expect(
      read(["say", "--at", "-h", "-", "", "--operand"]) == [
        .operand("say"), Self.flag("at"), .operand("-h"), .operand("-"), .operand(""), .operand("--operand"),
      ])
  }

  @Test("The value of a flag is the text after the first `=`, and may be empty")
  func attachedValues() {
    #expect(
      read(["--a=1", "--b=", "--c=x=y", "--=z"]) == [
        Self.flag("a", "1"), Self.flag("b", ""), Self.flag("c", "x=y"), Self.flag("", "z"),
      ])
  }

  @Test("After `--`, all arguments are operands")
  func endOfFlags() {
    #expect(
      read(["--a", "--", "--b", "--", "c"])
        == [Self.flag("a"), .operand("--b"), .operand("--"), .operand("c")])
    #expect(read(["--", "a"], endsFlagsAtDashes: false) == [Self.flag(""), .operand("a")])
  }

  @Test("If a flag has no `=`, its value is the next argument, even if this argument begins with dashes")
  func values() throws {
    var reader = CommandLineReader(["--a=1", "--b", "--", "--c", "--d", "--e"], endsFlagsAtDashes: true)
    var values: [String?] = []
    while case .flag(let flag) = reader.next() { values.append(reader.value(of: flag)) }
    #expect(values == ["1", "--", "--d", nil])
  }
}
