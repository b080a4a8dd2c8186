internal import Gateway

/// A setting: its names, its accepted values, and the property of the configuration that it sets.
struct Setting: Sendable {
  /// The flag without its dashes, as in `flush-interval`.
  let name: String
  /// The placeholder of the value in the help; nil for a switch.
  let placeholder: String?
  /// The accepted values, as the phrase after "expected" in an error.
  let expected: String
  /// The purpose, in a few words.
  let help: String
  /// True when the value is never shown.
  let isSecret: Bool
  /// Parses a value and stores it in a configuration. Returns false, without a change, for an invalid value.
  let apply: @Sendable (String, inout GatewayConfiguration) -> Bool
  /// The text, such as `none`, that the help shows as the default of a setting without a default value.
  let defaultLabel: String
  /// Returns the value of the setting in a configuration, in the syntax of the flag; nil if the setting has no value.
  let show: @Sendable (GatewayConfiguration) -> String?

  /// Creates a setting with a value.
  init(
    _ name: String, _ placeholder: String, expects expected: String, help: String, isSecret: Bool = false,
    defaultLabel: String = "none",
    apply: @escaping @Sendable (String, inout GatewayConfiguration) -> Bool,
    show: @escaping @Sendable (GatewayConfiguration) -> String?
  ) {
    self.name = name
    self.placeholder = placeholder
    self.expected = expected
    self.help = help
    self.isSecret = isSecret
    self.defaultLabel = defaultLabel
    self.apply = apply
    self.show = show
  }

  /// Creates a setting whose value is parsed by `read` and stored at `path`.
  init<Value>(
    _ name: String, _ placeholder: String, expects expected: String, help: String, isSecret: Bool = false,
    defaultLabel: String = "none", at path: any WritableKeyPath<GatewayConfiguration, Value> & Sendable,
    read: @escaping @Sendable (String) -> Value?, show: @escaping @Sendable (Value) -> String?
  ) {
    self.init(
      name, placeholder, expects: expected, help: help, isSecret: isSecret, defaultLabel: defaultLabel,
      apply: { text, configuration in
        guard let value = read(text) else { return false }
        configuration[keyPath: path] = value
        return true
      },
      show: { show($0[keyPath: path]) })
  }

  /// Creates a switch that is off by default.
  init(
    switch name: String, help: String, at path: any WritableKeyPath<GatewayConfiguration, Bool> & Sendable
  ) {
    self.name = name
    placeholder = nil
    expected = "true or false"
    self.help = help
    isSecret = false
    defaultLabel = "off"
    apply = { text, configuration in
      guard let value = SettingValue.flag(text) else { return false }
      configuration[keyPath: path] = value
      return true
    }
    show = { $0[keyPath: path] ? "on" : "off" }
  }

  /// The flag with its dashes.
  var flag: String { "--\(name)" }

  /// The environment variable of the setting.
  var variable: String {
    ArgumentParser.variablePrefix + name.uppercased().split(separator: "-").joined(separator: "_")
  }
}
