internal import Gateway
internal import Wire

/// Makes a configuration of a command line and an environment, without touching anything else.
///
/// A flag wins over its variable, a variable over the default; an empty variable counts as none, and of a flag
/// given twice the last one holds.
struct ConfigurationReader {
  /// What the program was asked to do.
  enum Invocation: Equatable, Sendable {
    case serve(GatewayConfiguration, SettingOrigins)
    /// Print what would be in force and where it came from, look whether a gateway could start with it, and end.
    case checkConfiguration(GatewayConfiguration, SettingOrigins)
    /// Ask a gateway of this configuration whether it is well.
    case health(GatewayConfiguration)
    /// Look at, or mend, what a data folder holds.
    case data(DataCommand)
    case help
    case version
  }

  /// The command that needs no configuration: it takes part in a session of whatever gateway.
  static let joinWord = "join"

  /// Every first word that means something.
  static let commandNames = Command.allCases.map(\.rawValue) + [joinWord]

  /// Variables of programs that take part in sessions, which a gateway's environment may have too.
  private static let participantVariables = ["DRAWTOGETHER_GATEWAY", "DRAWTOGETHER_GATEWAY_CERTIFICATES"]

  /// What the names of our environment variables begin with.
  static let variablePrefix = "DRAWTOGETHER_"

  private var configuration = GatewayConfiguration()
  private var origins = SettingOrigins()
  /// Which of the switches that are no settings are on, such as `check-config`.
  private var switches: Set<String> = []
  /// The session or folder that a command is about, as it was typed.
  private var word: String?
  /// The flag before the argument that is looked at, when that was a switch.
  private var lastSwitch: String?

  /// Reads the arguments (without the program's own name) and the environment; there are `cores` reactors
  /// unless a setting says otherwise. Throws the first fault; flags are looked at before variables.
  static func read(
    arguments: [String], environment: [String: String], cores: Int
  ) throws(ConfigurationError) -> Invocation {
    if arguments.contains("--help") || arguments.contains("-h") || arguments.first == "help" { return .help }
    if arguments.contains("--version") || arguments.first == "-v" { return .version }
    var reader = ConfigurationReader()
    reader.configuration.reactors = min(max(cores, 1), 256)
    let command = try reader.read(arguments)
    try reader.read(environment)
    if let work = try reader.work(of: command) {
      return .data(DataCommand(folder: reader.configuration.dataDirectory, work: work))
    }
    try CombinedSettings(configuration: reader.configuration, origins: reader.origins).check()
    let configuration = reader.configuration
    if command == .health { return .health(configuration) }
    return reader.switches.contains("check-config")
      ? .checkConfiguration(configuration, reader.origins) : .serve(configuration, reader.origins)
  }

  /// Takes the flags and the word; returns the command.
  private mutating func read(_ arguments: [String]) throws(ConfigurationError) -> Command {
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
    var takesFlags = true
    while let argument = rest.popFirst() {
      // An id may begin with dashes: a whole one is told by its length, and two dashes alone end the flags.
      if command.takesWord, !takesFlags || !argument.hasPrefix("--") || SessionID(argument) != nil {
        try take(word: argument, for: command)
      } else if command.takesWord, argument == "--" {
        takesFlags = false
      } else {
        try take(flag: argument, for: command, &rest)
      }
    }
    return command
  }

  private static func isFlag(_ name: String) -> Bool {
    ["check-config", "version"].contains(name) || Setting.all.contains { $0.name == name }
  }

  private mutating func take(word argument: String, for command: Command) throws(ConfigurationError) {
    guard word == nil else {
      throw .secondWord(argument, command: command.rawValue, takes: command.word)
    }
    word = argument
  }

  /// Takes a flag, and its value from what follows it when it does not stand behind an equals sign.
  private mutating func take(
    flag argument: String, for command: Command, _ rest: inout ArraySlice<String>
  ) throws(ConfigurationError) {
    guard argument.hasPrefix("--"), argument.utf8.count > 2 else {
      if let lastSwitch, SettingValue.flag(argument) != nil {
        throw .valueOfSwitch(argument, flag: lastSwitch)
      }
      throw .unexpectedArgument(argument)
    }
    lastSwitch = nil
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let value = parts.count == 2 ? String(parts[1]) : nil
    let ownSwitches = command.switches ?? ["check-config"]
    if ownSwitches.contains(name) {
      guard let on = SettingValue.flag(value ?? "true") else {
        throw .notAccepted(setting: "--\(name)", value: value, accepted: "true or false")
      }
      if on { switches.insert(name) } else { switches.remove(name) }
      lastSwitch = "--\(name)"
      return
    }
    guard let setting = Setting.all.first(where: { $0.name == name }) else {
      throw .unknownFlag("--\(name)", nearest: Self.nearest(to: name, for: command).map { "--\($0)" })
    }
    if let flags = command.flags, !flags.contains(name) {
      throw .flagOfOther("--\(name)", command: command.rawValue, takes: flags.map { "--\($0)" })
    }
    if setting.placeholder == nil { lastSwitch = setting.flag }
    guard let value = value ?? (setting.placeholder == nil ? "true" : rest.popFirst()) else {
      throw .missingValue(setting: setting.flag, accepted: setting.accepted)
    }
    try apply(setting, value, as: setting.flag, from: .flag)
  }

  /// What a command about a data folder is to do; `nil` for any other command.
  private func work(of command: Command) throws(ConfigurationError) -> DataCommand.Work? {
    let asJSON = switches.contains("json")
    switch (command, word) {
    case (.serve, _), (.health, _): return nil
    case (.sessions, _): return .list(asJSON: asJSON)
    case (.verify, let word): return .verify(try word.map(Self.session))
    case (.export, let word?):
      return .export(try Self.session(word), onlyRetained: switches.contains("state"))
    case (.repair, let word?): return .repair(try Self.session(word))
    case (.export, nil), (.repair, nil): throw .missingSession(command: command.rawValue)
    case (.backup, nil), (.backup, ""?): throw .missingFolder(command: command.rawValue)
    case (.backup, let word?):
      return .backup(to: word, reserve: configuration.limits.diskReserveBytes, asJSON: asJSON)
    case (.restore, nil), (.restore, ""?): throw .missingFolderOrSession(command: command.rawValue)
    case (.end, let word?): return .change(try Self.session(word), .end)
    case (.delete, let word?):
      return .change(try Self.session(word), switches.contains("now") ? .deleteNow : .delete)
    case (.end, nil), (.delete, nil): throw .missingSession(command: command.rawValue)
    case (.restore, let word?): return .restore(DataCommand.Restored(word), asJSON: asJSON)
    }
  }

  private static func session(_ word: String) throws(ConfigurationError) -> SessionPrefix {
    guard let prefix = SessionPrefix(word) else { throw .notASession(word) }
    return prefix
  }

  /// Takes the variables of those settings that no flag has set; all of our prefix must be known.
  private mutating func read(_ environment: [String: String]) throws(ConfigurationError) {
    let ours = environment.filter { $0.key.hasPrefix(Self.variablePrefix) && !$0.value.isEmpty }
    for (variable, value) in ours.sorted(by: { $0.key < $1.key }) {
      guard let setting = Setting.all.first(where: { $0.variable == variable }) else {
        if Self.participantVariables.contains(variable) { continue }
        if Self.isMadeByKubernetes(variable, value) { continue }
        throw .unknownVariable(variable, nearest: Self.nearest(toVariable: variable))
      }
      if !origins.has(setting.name) { try apply(setting, value, as: variable, from: .variable) }
    }
  }

  private mutating func apply(
    _ setting: Setting, _ value: String, as name: String, from origin: SettingOrigins.Origin
  ) throws(ConfigurationError) {
    guard setting.apply(value, &configuration) else {
      throw .notAccepted(
        setting: name, value: setting.isSecret ? nil : value, accepted: setting.accepted)
    }
    origins.note(setting, origin)
  }

  /// Variables that Kubernetes makes for a service called drawtogether, or drawtogether-something.
  private static func isMadeByKubernetes(_ variable: String, _ value: String) -> Bool {
    // It says tcp://10.0.0.1:8080 there; a number is what somebody wrote who looks for --http.
    variable.contains("_SERVICE_") || variable.contains("_PORT_")
      || variable.hasSuffix("_PORT") && value.contains("://")
  }

  private static func nearest(to name: String, for command: Command) -> String? {
    let known = command.flags ?? Setting.all.map(\.name) + ["check-config"]
    return SettingGuess.nearest(to: name, among: known + ["help", "version"])
  }

  private static func nearest(toVariable variable: String) -> String? {
    let name = variable.dropFirst(variablePrefix.count).lowercased().split(separator: "_").joined(
      separator: "-")
    let nearest = SettingGuess.nearest(to: name, among: Setting.all.map(\.name))
    return Setting.all.first { $0.name == nearest }?.variable
  }
}
