internal import CommandSupport

/// Parses the command line.
enum BenchArgumentParser {
  enum Invocation: Equatable {
    case help
    case run(BenchOptions)
  }

  /// Parses the arguments, without the program's name.
  static func parse(_ arguments: [String]) throws(BenchError) -> Invocation {
    if arguments.contains("--help") || arguments.contains("-h") { return .help }
    guard let first = arguments.first, !first.hasPrefix("-") else { throw .missingMode }
    guard let mode = BenchMode(rawValue: first) else { throw .unknownMode(first) }
    var options = BenchOptions(mode: mode)
    var given: Set<String> = []
    var reader = CommandLineReader(arguments.dropFirst(), endsFlagsAtDashes: false)
    while let argument = reader.next() {
      switch argument {
      case .operand(let word): throw .unexpectedArgument(word)
      case .flag(let typed):
        let flag = try find("--\(typed.name)", for: mode)
        given.insert(flag.name)
        try store(flag, typed, in: &options, &reader)
      }
    }
    try check(options, given)
    return .run(options)
  }

  private static func find(_ name: String, for mode: BenchMode) throws(BenchError) -> BenchFlag {
    guard let flag = BenchFlag.all.first(where: { $0.name == name }) else {
      throw .unknownFlag(name, mode: mode)
    }
    guard flag.modes.contains(mode) else { throw .flagOfOtherMode(name, mode: mode) }
    return flag
  }

  private static func store(
    _ flag: BenchFlag, _ typed: CommandLineReader.Flag, in options: inout BenchOptions,
    _ reader: inout CommandLineReader
  ) throws(BenchError) {
    guard flag.placeholder != nil else {
      guard typed.attachedValue == nil else { throw .unexpectedValue(flag: flag.name) }
      _ = flag.store(&options, "")
      return
    }
    guard let value = reader.value(of: typed) else {
      throw .missingValue(flag: flag.name, expected: flag.expected)
    }
    guard flag.store(&options, value) else {
      throw .invalidValue(flag: flag.name, value: value, expected: flag.expected)
    }
  }

  private static func check(_ options: BenchOptions, _ given: Set<String>) throws(BenchError) {
    let mode = options.mode
    if mode.needsServer, options.server == nil { throw .missingServer(mode) }
    if mode == .slowReaders, options.process == nil { throw .missingProcess(mode) }
    let pacings = ["--window", "--burst", "--rate"].filter(given.contains)
    if pacings.count > 1 { throw .excluding(pacings[0], pacings[1]) }
    if given.contains("--entries"), given.contains("--snapshot-bytes") {
      throw .excluding("--entries", "--snapshot-bytes")
    }
  }
}
