internal import Gateway
internal import Wire

/// What `--check-config` prints: a line for each setting, in the help's order, with its flag, the value in force and where that
/// came from.
///
/// After a blank line follow the shares of the memory. Columns are separated by two or more blanks. A value could be given again as it stands there; `-` stands for none, `set` for
/// a secret.
enum ConfigurationReport {
  /// A column is as wide as its longest text, up to this.
  private static let widest = 28

  /// The whole table.
  static func text(_ configuration: GatewayConfiguration, _ origins: SettingOrigins) -> String {
    let rows = Setting.all.map { setting in
      (setting.flag, shown(setting.show(configuration)), origins.source(of: setting, in: configuration))
    }
    let first = rows.map(\.0.utf8.count).max() ?? 0
    let second = rows.map(\.1.count).filter { $0 <= widest }.max() ?? 0
    return rows.map { flag, value, source in
      "\(CommandHelp.padded(flag, to: first))  \(CommandHelp.padded(value, to: second))  \(source)\n"
    }.joined()
  }

  /// The shares of the memory, as a table after that of the settings.
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

  /// A value in one word, where it is one.
  private static func shown(_ value: String?) -> String {
    guard let value else { return "-" }
    let isPlain = !value.unicodeScalars.contains { $0 == " " || $0 == "\"" || JSONText.mustBeEscaped($0) }
    return isPlain ? value : JSONText.quoted(value)
  }
}
