internal import Gateway

/// Where the values in force came from: who gave each setting that somebody gave.
struct SettingOrigins: Equatable, Sendable {
  enum Origin: Equatable, Sendable {
    case flag
    case variable
  }

  private var given: [String: Origin] = [:]

  /// Nobody gave any.
  init() {}

  mutating func note(_ setting: Setting, _ origin: Origin) { given[setting.name] = origin }

  /// Whether a flag or a variable gave the setting of that name.
  func has(_ name: String) -> Bool { given[name] != nil }

  /// A setting as whoever gave it knows it: by its variable where that gave it, else by its flag.
  func name(of name: String) -> String {
    guard given[name] == .variable, let setting = Setting.all.first(where: { $0.name == name }) else {
      return "--\(name)"
    }
    return setting.variable
  }

  /// One word for where a setting's value came from: `flag`, its variable's name, or what it is otherwise.
  func source(of setting: Setting, in configuration: GatewayConfiguration) -> String {
    switch given[setting.name] {
    case .flag: "flag"
    case .variable: setting.variable
    case nil where setting.name == "reactors": "cores"
    case nil where setting.name == "memory" && configuration.memory != nil: "machine"
    case nil where MemoryBudget.isDivided(setting, in: configuration): "memory"
    // Where nobody said where the page is, the one that came with the program is looked for.
    case nil where setting.show(configuration) != setting.show(GatewayConfiguration()): "found"
    case nil: "default"
    }
  }
}
