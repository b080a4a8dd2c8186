internal import CommandSupport
internal import Gateway
internal import Wire

/// Parses a command line and an environment into an invocation. Has no other effects.
///
/// A flag has precedence over its variable, and a variable over the default. An empty variable is ignored. The last value of a
/// repeated flag counts.
struct ArgumentParser {
  /// A parsed command line.
  enum Invocation: Equatable, Sendable {
    case serve(GatewayConfiguration, SettingOrigins)
    /// Prints the settings in force and their origins, checks the configuration, and exits.
    case checkConfiguration(GatewayConfiguration, SettingOrigins)
    /// Checks the health of a gateway with this configuration.
    case health(GatewayConfiguration)
    /// Reads or changes a data folder.
    case data(DataCommand)
    case help
    case version
  }

  /// The command that needs no configuration: it takes part in a session of any gateway.
  static let joinCommand = "join"

  /// All commands.
  static let commandNames = Command.allCases.map(\.rawValue) + [joinCommand]

  /// The variables of programs that take part in sessions. They are not rejected, because the environment of a gateway may also
  /// contain them.
  private static let participantVariables = ["DRAWTOGETHER_GATEWAY", "DRAWTOGETHER_GATEWAY_CERTIFICATES"]

  /// The prefix of the environment variables of DrawTogether.
  static let variablePrefix = "DRAWTOGETHER_"

  private var configuration = GatewayConfiguration()
  private var origins = SettingOrigins()
  /// The active switches that are not settings, such as `check-config`.
  private var switches: Set<String> = []
  /// The session or folder that the command applies to, as typed.
  private var operand: String?
  /// The name of the last flag if it was a switch (a flag that needs no value); nil otherwise.
  private var lastSwitch: String?

  /// Parses arguments (without the program's name) and environment. Flags are checked before variables.
  ///
  /// - Parameters:
  ///   - arguments: the command line.
  ///   - environment: all variables.
  ///   - cores: the default number of reactors.
  /// - Returns: the command to run.
  /// - Throws: the first error.
  static func parse(
    arguments: [String], environment: [String: String], cores: Int
  ) throws(CommandError) -> Invocation {
    if arguments.contains("--help") || arguments.contains("-h") || arguments.first == "help" { return .help }
    if arguments.contains("--version") || arguments.first == "-v" { return .version }
    var parser = ArgumentParser()
    parser.configuration.reactors = min(max(cores, 1), 256)
    let command = try parser.parse(arguments)
    try parser.parse(environment)
    if let action = try parser.action(of: command) {
      return .data(DataCommand(folder: parser.configuration.dataDirectory, action: action))
    }
    try SettingConflicts(configuration: parser.configuration, origins: parser.origins).check()
    let configuration = parser.configuration
    if command == .health { return .health(configuration) }
    return parser.switches.contains("check-config")
      ? .checkConfiguration(configuration, parser.origins) : .serve(configuration, parser.origins)
  }

  /// Parses flags and the operand. Returns the command.
  private mutating func parse(_ arguments: [String]) throws(CommandError) -> Command {
    var rest = arguments[...]
    var command = Command.serve
    if let first = rest.first, !first.hasPrefix("-") {
      guard let named = Command(rawValue: first) else {
        throw .unknownCommand(
          first, known: Self.commandNames,
          flag: Self.isFlag(first) ? "--\(first)" : nil)
      }
      command = named
      rest.removeFirst()
    }
    // A session's id may begin with dashes: a whole id is recognized by its length, and `--` ends the flags.
    var reader = CommandLineReader(
      rest, endsFlagsAtDashes: command.takesOperand,
      isOperand: { command.takesOperand && SessionID($0) != nil })
    while let argument = reader.next() {
      switch argument {
      case .flag(let flag): try take(flag, for: command, &reader)
      case .operand(let argument): try take(operand: argument, for: command)
      }
    }
    return command
  }

  private static func isFlag(_ name: String) -> Bool {
    ["check-config", "version"].contains(name) || Setting.all.contains { $0.name == name }
  }

  private mutating func take(operand argument: String, for command: Command) throws(CommandError) {
    guard command.takesOperand else {
      if let lastSwitch, SettingValue.flag(argument) != nil {
        throw .separateSwitchValue(argument, flag: lastSwitch)
      }
      throw .unexpectedArgument(argument)
    }
    guard operand == nil else {
      throw .secondOperand(argument, command: command.rawValue, takes: command.operand)
    }
    operand = argument
  }

  /// Parses a flag and its value.
  private mutating func take(
    _ flag: CommandLineReader.Flag, for command: Command, _ reader: inout CommandLineReader
  ) throws(CommandError) {
    let name = flag.name
    if name.isEmpty, flag.attachedValue == nil { throw .unexpectedArgument("--") }
    lastSwitch = nil
    let ownSwitches = command.switches ?? ["check-config"]
    if ownSwitches.contains(name) {
      guard let on = SettingValue.flag(flag.attachedValue ?? "true") else {
        throw .invalidValue(flag.attachedValue, setting: "--\(name)", expected: "true or false")
      }
      if on { switches.insert(name) } else { switches.remove(name) }
      lastSwitch = "--\(name)"
      return
    }
    guard let setting = Setting.all.first(where: { $0.name == name }) else {
      throw .unknownFlag("--\(name)", suggestion: Self.suggestion(for: name, of: command).map { "--\($0)" })
    }
    if let flags = command.flags, !flags.contains(name) {
      throw .flagOfOtherCommand("--\(name)", command: command.rawValue, takes: flags.map { "--\($0)" })
    }
    if setting.placeholder == nil { lastSwitch = setting.flag }
    let value = setting.placeholder == nil ? flag.attachedValue ?? "true" : reader.value(of: flag)
    guard let value else { throw .missingValue(setting: setting.flag, expected: setting.expected) }
    try apply(setting, value, as: setting.flag, from: .flag)
  }

  /// Returns the action of a command on a data folder; nil for other commands.
  private func action(of command: Command) throws(CommandError) -> DataCommand.Action? {
    let asJSON = switches.contains("json")
    switch (command, operand) {
    case (.serve, _), (.health, _): return nil
    case (.sessions, _): return .list(asJSON: asJSON)
    case (.verify, let operand): return .verify(try operand.map(Self.session))
    case (.export, let operand?):
      return .export(try Self.session(operand), onlyRetained: switches.contains("state"))
    case (.repair, let operand?): return .repair(try Self.session(operand))
    case (.export, nil), (.repair, nil): throw .missingSession(command: command.rawValue)
    case (.backup, nil), (.backup, ""?): throw .missingFolder(command: command.rawValue)
    case (.backup, let operand?):
      return .backup(to: operand, reserve: configuration.limits.diskReserveBytes, asJSON: asJSON)
    case (.restore, nil), (.restore, ""?): throw .missingFolderOrSession(command: command.rawValue)
    case (.end, let operand?): return .change(try Self.session(operand), .end)
    case (.delete, let operand?):
      return .change(try Self.session(operand), switches.contains("now") ? .deleteNow : .delete)
    case (.end, nil), (.delete, nil): throw .missingSession(command: command.rawValue)
    case (.restore, let operand?): return .restore(DataCommand.RestoreSource(operand), asJSON: asJSON)
    }
  }

  private static func session(_ operand: String) throws(CommandError) -> SessionPrefix {
    guard let prefix = SessionPrefix(operand) else { throw .invalidSession(operand) }
    return prefix
  }

  /// Applies the variables of settings that have no flag on the command line. Rejects unknown variables whose names begin with
  /// `variablePrefix`.
  private mutating func parse(_ environment: [String: String]) throws(CommandError) {
    let ours = environment.filter { $0.key.hasPrefix(Self.variablePrefix) && !$0.value.isEmpty }
    for (variable, value) in ours.sorted(by: { $0.key < $1.key }) {
      guard let setting = Setting.all.first(where: { $0.variable == variable }) else {
        if Self.participantVariables.contains(variable) { continue }
        if Self.isMadeByKubernetes(variable, value) { continue }
        throw .unknownVariable(variable, suggestion: Self.suggestion(forVariable: variable))
      }
      if !origins.has(setting.name) { try apply(setting, value, as: variable, from: .variable) }
    }
  }

  private mutating func apply(
    _ setting: Setting, _ value: String, as name: String, from origin: SettingOrigins.Origin
  ) throws(CommandError) {
    guard setting.apply(value, &configuration) else {
      throw .invalidValue(setting.isSecret ? nil : value, setting: name, expected: setting.expected)
    }
    origins.record(setting, origin)
  }

  /// Returns true for a variable that Kubernetes makes for a service named drawtogether, or drawtogether-something.
  private static func isMadeByKubernetes(_ variable: String, _ value: String) -> Bool {
    // Kubernetes sets DRAWTOGETHER_PORT to a URL such as tcp://10.0.0.1:8080. A plain number was set by an operator, who
    // probably means --http.
    variable.contains("_SERVICE_") || variable.contains("_PORT_")
      || variable.hasSuffix("_PORT") && value.contains("://")
  }

  private static func suggestion(for name: String, of command: Command) -> String? {
    let known = command.flags ?? Setting.all.map(\.name) + ["check-config"]
    return FlagSynonyms.match(for: name, among: known + ["help", "version"])
  }

  private static func suggestion(forVariable variable: String) -> String? {
    let name = variable.dropFirst(variablePrefix.count).lowercased().split(separator: "_").joined(
      separator: "-")
    let match = FlagSynonyms.match(for: name, among: Setting.all.map(\.name))
    return Setting.all.first { $0.name == match }?.variable
  }
}
