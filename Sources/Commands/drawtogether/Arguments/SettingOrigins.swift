internal import Gateway

/// The origins of the settings in force: flag, variable or default.
struct SettingOrigins: Equatable, Sendable {
  enum Origin: Equatable, Sendable {
    case flag
    case variable
  }

  private var given: [String: Origin] = [:]

  /// Records the origin of a setting.
  mutating func record(_ setting: Setting, _ origin: Origin) { given[setting.name] = origin }

  /// Returns true if a flag or a variable set the setting with that name.
  func has(_ name: String) -> Bool { given[name] != nil }

  /// Returns the name under which the operator set a setting: the variable if that was used, else the flag.
  func name(of name: String) -> String {
    guard given[name] == .variable, let setting = Setting.all.first(where: { $0.name == name }) else {
      return "--\(name)"
    }
    return setting.variable
  }

  /// Returns one word for the origin of a value: `flag`, the variable's name, `cores`, `machine`, `memory`, `found` or `default`.
  func source(of setting: Setting, in configuration: GatewayConfiguration) -> String {
    switch given[setting.name] {
    case .flag: "flag"
    case .variable: setting.variable
    case nil where setting.name == "reactors": "cores"
    case nil where setting.name == "memory" && configuration.memory != nil: "machine"
    case nil where MemoryBudget.isDivided(setting, in: configuration): "memory"
    // If `--public` is missing, the page that was installed with the program is used.
    case nil where setting.show(configuration) != setting.show(GatewayConfiguration()): "found"
    case nil: "default"
    }
  }
}
