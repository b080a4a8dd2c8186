/// What `--help` and `--check-config` print, made of the one table of settings.
package enum CommandHelp {
  /// The help: every flag with its default, in lines of at most 100 columns where its own words allow it.
  package static var text: String {
    let defaults = GatewayConfiguration()
    var text = """
      DrawTogether \(Product.version): serves a shared canvas, and the sessions behind it.

      Usage: drawtogether [serve] [flags]       serve until SIGTERM
             drawtogether health [flags]        ask a running gateway whether it is well: exit code 0 or 1
             drawtogether sessions [--json]     list the sessions in the data folder
             drawtogether export ID [--state]   write a session's entries as lines of JSON; --state: only what is retained
             drawtogether verify [ID]           check every record, entry and file: exit code 1 when one is damaged
             drawtogether backup DIR [--json]   copy all sessions, each as of one moment, to a new or an empty folder
             drawtogether restore DIR [--json]  put a backup into a folder without sessions that no gateway has
             drawtogether restore ID            undo the end of a session, while it is kept

      The last six work on the folder that --data names: restore DIR while no gateway has it, the others also beside one
      that runs. Of a session's ID its beginning is enough. They end with 0, with 1 when they could not do it or found
      damage, and with 2 when they were asked wrongly.

      A flag may be written --flag VALUE or --flag=VALUE. Each can also be set by an environment variable:
      --flush-interval by DRAWTOGETHER_FLUSH_INTERVAL. The flag wins.

      Flags, with their defaults:


      """
    let limits = Set(Setting.limits.map(\.name))
    for setting in Setting.all where !limits.contains(setting.name) {
      let shown = setting.name == "reactors" ? "one a core" : setting.show(defaults)
      text += line(setting, default: shown)
    }
    text += line("--check-config", "print what is in force, and end")
    text += line("--version, --help", "print the version, or this")
    text += "\nLimits (a SIZE may end in K, M or G, powers of 1,024; S are seconds):\n\n"
    for setting in Setting.limits { text += line(setting, default: setting.show(defaults)) }
    return text
  }

  /// Everything in force as `flag value` lines that could be a command line again; secrets only as set or not.
  package static func report(_ configuration: GatewayConfiguration) -> String {
    let width = Setting.all.map(\.flag.utf8.count).max() ?? 0
    return Setting.all.map { setting in
      padded(setting.flag, to: width) + "  " + setting.show(configuration) + "\n"
    }.joined()
  }

  private static func line(_ setting: Setting, default value: String) -> String {
    let flag = [setting.flag, setting.placeholder].compactMap(\.self).joined(separator: " ")
    return line(flag, "\(setting.help) [\(value)]")
  }

  private static func line(_ flag: String, _ words: String) -> String {
    "  " + padded(flag, to: 42) + " " + words + "\n"
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }
}
