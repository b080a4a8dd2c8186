internal import Gateway
internal import Wire

/// The output of `--check-config`: a line for each setting, in the order of the help, with flag, value in force and origin.
///
/// A table with the shares of `--memory` follows after an empty line. Columns are separated by two or more blanks. Values are in
/// the syntax of the flags. `-` means that a setting has no value; `set` replaces the value of a secret.
enum ConfigurationReport {
  /// The maximum width of a column; a column is as wide as its longest text.
  private static let maximumWidth = 28

  /// Returns the table of the settings.
  static func text(_ configuration: GatewayConfiguration, _ origins: SettingOrigins) -> String {
    let rows = Setting.all.map { setting in
      (setting.flag, shown(setting.show(configuration)), origins.source(of: setting, in: configuration))
    }
    let first = rows.map(\.0.utf8.count).max() ?? 0
    let second = rows.map(\.1.count).filter { $0 <= maximumWidth }.max() ?? 0
    return rows.map { flag, value, source in
      "\(CommandHelp.padded(flag, to: first))  \(CommandHelp.padded(value, to: second))  \(source)\n"
    }.joined()
  }

  /// Returns the table with the shares of `--memory`.
  static func text(_ budget: MemoryBudget) -> String {
    let rows =
      [("share of --memory", "at most", "bounded by")]
      + budget.shares.map { share in
        (
          share.name, SettingValue.rough(size: UInt64(clamping: share.bytes)),
          share.limit.map { "\($0.flag) \(Setting.describe($0, in: budget.limits))" } ?? "-"
        )
      } + [("unused", SettingValue.rough(size: UInt64(clamping: budget.unused)), "-")]
    let first = rows.map(\.0.utf8.count).max() ?? 0
    let second = rows.map(\.1.utf8.count).max() ?? 0
    return "\n"
      + rows.map { name, bytes, limit in
        "\(CommandHelp.padded(name, to: first))  \(CommandHelp.padded(bytes, to: second))  \(limit)\n"
      }.joined()
  }

  /// Returns a value, quoted unless it is one word.
  private static func shown(_ value: String?) -> String {
    guard let value else { return "-" }
    let isPlain = !value.unicodeScalars.contains { $0 == " " || $0 == "\"" || JSONText.mustBeEscaped($0) }
    return isPlain ? value : JSONText.quoted(value)
  }
}
