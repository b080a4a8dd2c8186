internal import Gateway

/// One thing an operator may set: its names, what it takes, and how it changes a configuration.
struct Setting: Sendable {
  /// The flag without its dashes, as in `flush-interval`.
  let name: String
  /// What stands for the value in the help; `nil` for a switch, which needs none.
  let placeholder: String?
  /// What is accepted, in words that follow "it takes".
  let accepted: String
  /// What it is for, in a few words.
  let help: String
  /// Whether its value is never shown.
  let isSecret: Bool
  /// Puts a value as it was written into a configuration; false, and no change, when it is not accepted.
  let apply: @Sendable (String, inout GatewayConfiguration) -> Bool
  /// What the help says of a default that is no value, such as `none`.
  let absence: String
  /// What a configuration holds, as it could be given again; `nil` where it holds nothing.
  let show: @Sendable (GatewayConfiguration) -> String?

  /// A setting that takes a value.
  init(
    _ name: String, _ placeholder: String, accepts accepted: String, help: String, isSecret: Bool = false,
    absence: String = "none",
    apply: @escaping @Sendable (String, inout GatewayConfiguration) -> Bool,
    show: @escaping @Sendable (GatewayConfiguration) -> String?
  ) {
    self.name = name
    self.placeholder = placeholder
    self.accepted = accepted
    self.help = help
    self.isSecret = isSecret
    self.absence = absence
    self.apply = apply
    self.show = show
  }

  /// A setting whose value is read by `read` and stored at `path`.
  init<Value>(
    _ name: String, _ placeholder: String, accepts accepted: String, help: String, isSecret: Bool = false,
    absence: String = "none", at path: any WritableKeyPath<GatewayConfiguration, Value> & Sendable,
    read: @escaping @Sendable (String) -> Value?, show: @escaping @Sendable (Value) -> String?
  ) {
    self.init(
      name, placeholder, accepts: accepted, help: help, isSecret: isSecret, absence: absence,
      apply: { text, configuration in
        guard let value = read(text) else { return false }
        configuration[keyPath: path] = value
        return true
      },
      show: { show($0[keyPath: path]) })
  }

  /// A switch: off unless it is named.
  init(
    switch name: String, help: String, at path: any WritableKeyPath<GatewayConfiguration, Bool> & Sendable
  ) {
    self.name = name
    placeholder = nil
    accepted = "true or false"
    self.help = help
    isSecret = false
    absence = "off"
    apply = { text, configuration in
      guard let value = SettingValue.flag(text) else { return false }
      configuration[keyPath: path] = value
      return true
    }
    show = { $0[keyPath: path] ? "on" : "off" }
  }

  /// The flag as it is typed.
  var flag: String { "--\(name)" }

  /// The environment variable that sets the same.
  var variable: String {
    ConfigurationReader.variablePrefix + name.uppercased().split(separator: "-").joined(separator: "_")
  }
}
