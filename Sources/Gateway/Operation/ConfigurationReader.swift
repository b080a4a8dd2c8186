/// Makes a configuration of a command line and an environment, without touching anything else.
///
/// A flag wins over its variable, a variable over the default; an empty variable counts as none, and of a flag
/// given twice the last one holds.
package struct ConfigurationReader {
  /// What the program was asked to do.
  package enum Invocation: Equatable, Sendable {
    case serve(GatewayConfiguration)
    /// Print what would be in force, and end.
    case checkConfiguration(GatewayConfiguration)
    /// Ask a gateway of this configuration whether it is well.
    case health(GatewayConfiguration)
    case help
    case version
  }

  /// What the names of our environment variables begin with.
  package static let variablePrefix = "DRAWTOGETHER_"

  private static let commands = ["serve", "health"]

  private var configuration = GatewayConfiguration()
  private var given: Set<String> = []
  private var isCheck = false

  /// Reads the arguments (without the program's own name) and the environment; there are `cores` reactors
  /// unless a setting says otherwise. Throws the first fault; flags are looked at before variables.
  package static func read(
    arguments: [String], environment: [String: String], cores: Int
  ) throws(ConfigurationError) -> Invocation {
    if arguments.contains("--help") || arguments.contains("-h") || arguments.first == "help" { return .help }
    if arguments.contains("--version") { return .version }
    var reader = ConfigurationReader()
    reader.configuration.reactors = min(max(cores, 1), 256)
    let command = try reader.read(arguments)
    try reader.read(environment)
    try reader.checkTogether()
    let configuration = reader.configuration
    if command == "health" { return .health(configuration) }
    return reader.isCheck ? .checkConfiguration(configuration) : .serve(configuration)
  }

  /// Takes the flags; returns the command.
  private mutating func read(_ arguments: [String]) throws(ConfigurationError) -> String {
    var rest = arguments[...]
    var command = "serve"
    if let first = rest.first, !first.hasPrefix("-") {
      guard Self.commands.contains(first) else {
        throw .unknownCommand(first, known: Self.commands)
      }
      command = first
      rest.removeFirst()
    }
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--"), argument.utf8.count > 2 else { throw .unexpectedArgument(argument) }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      let value = parts.count == 2 ? String(parts[1]) : nil
      if name == "check-config" {
        guard let on = SettingValue.flag(value ?? "true") else {
          throw .notAccepted(setting: "--check-config", value: value, accepted: "true or false")
        }
        isCheck = on
        continue
      }
      guard let setting = Setting.all.first(where: { $0.name == name }) else {
        throw .unknownFlag("--\(name)", nearest: Self.nearest(to: name).map { "--\($0)" })
      }
      guard let value = value ?? (setting.placeholder == nil ? "true" : rest.popFirst()) else {
        throw .missingValue(setting: setting.flag, accepted: setting.accepted)
      }
      try apply(setting, value, as: setting.flag)
    }
    return command
  }

  /// Takes the variables of those settings that no flag has set; all of our prefix must be known.
  private mutating func read(_ environment: [String: String]) throws(ConfigurationError) {
    let ours = environment.filter { $0.key.hasPrefix(Self.variablePrefix) && !$0.value.isEmpty }
    for (variable, value) in ours.sorted(by: { $0.key < $1.key }) {
      guard let setting = Setting.all.first(where: { $0.variable == variable }) else {
        if Self.isMadeByKubernetes(variable) { continue }
        throw .unknownVariable(variable, nearest: Self.nearest(toVariable: variable))
      }
      if !given.contains(setting.name) { try apply(setting, value, as: variable) }
    }
  }

  private mutating func apply(_ setting: Setting, _ value: String, as name: String) throws(ConfigurationError)
  {
    guard setting.apply(value, &configuration) else {
      throw .notAccepted(
        setting: name, value: setting.isSecret ? nil : value, accepted: setting.accepted)
    }
    given.insert(setting.name)
  }

  /// Settings that make sense only together.
  private func checkTogether() throws(ConfigurationError) {
    if configuration.http == nil && configuration.https == nil { throw .nothingToServe }
    if configuration.certificateFile != nil && configuration.keyFile == nil {
      throw .needs(setting: "--tls-cert", other: "--tls-key")
    }
    if configuration.keyFile != nil && configuration.certificateFile == nil {
      throw .needs(setting: "--tls-key", other: "--tls-cert")
    }
    if configuration.redirectsToHTTPS && (configuration.http == nil || configuration.https == nil) {
      throw .needs(setting: "--redirect-to-https", other: "both --http and --https")
    }
    if configuration.sendsStrictTransportSecurity && configuration.https == nil {
      throw .needs(setting: "--hsts", other: "--https")
    }
  }

  /// Variables that Kubernetes makes for a service called drawtogether, or drawtogether-something.
  private static func isMadeByKubernetes(_ variable: String) -> Bool {
    variable.contains("_SERVICE_") || variable.contains("_PORT_") || variable.hasSuffix("_PORT")
  }

  private static func nearest(to name: String) -> String? {
    EditDistance.nearest(to: name, among: Setting.all.map(\.name) + ["check-config", "help", "version"])
  }

  private static func nearest(toVariable variable: String) -> String? {
    let name = variable.dropFirst(variablePrefix.count).lowercased().split(separator: "_").joined(
      separator: "-")
    let nearest = EditDistance.nearest(to: name, among: Setting.all.map(\.name))
    return Setting.all.first { $0.name == nearest }?.variable
  }
}
