internal import Gateway

/// The output of `--help`, generated from the table of settings.
enum CommandHelp {
  /// The help: all commands, and every flag with its default, in lines of at most 100 columns.
  static var text: String {
    var text = """
      DrawTogether \(Product.version): a server for a shared canvas and its sessions.

      Usage: drawtogether [serve] [flags]       serve until SIGTERM
             drawtogether health [flags]        check a running gateway: exit code 0 or 1
             drawtogether sessions [--json]     list the sessions in the data folder
             drawtogether export ID [--state]   print the entries of a session as lines of JSON;
                                                --state: only the retained entries
             drawtogether verify [ID]           check every record, entry and file
             drawtogether repair ID             repair the damaged log of a session and accept the loss;
                                                verify then no longer reports it
             drawtogether backup DIR [--json]   copy all sessions, each as of one moment, to a new or an
                                                empty folder
             drawtogether restore DIR [--json]  copy a backup into a folder without sessions, which no
                                                gateway uses
             drawtogether restore ID            undo the end of a session that is still stored
             drawtogether end ID                end a session for everyone, as its participants can
             drawtogether delete ID [--now]     delete a session without participants, with its
                                                attachments; --now: end it first if it has participants
             drawtogether join LINK …           take part in a session from a terminal: watch, say,
                                                attach, tail; see join --help

      The commands from sessions to delete use the folder of --data. A gateway may use this folder at
      the same time, except during restore DIR. The beginning of a session's ID is enough. Exit codes:
      0 success, 1 failure or damage found, 2 invalid arguments or settings.

      A flag is written --flag VALUE or --flag=VALUE. Every setting can also be set by an environment
      variable: --flush-interval by DRAWTOGETHER_FLUSH_INTERVAL. The flag has precedence; an empty
      variable is ignored.

      Flags, with their defaults:


      """
    let limits = Set(Setting.limits.map(\.name))
    for setting in Setting.all where !limits.contains(setting.name) {
      text += line(setting, default: setting.name == "reactors" ? "one per core" : nil)
    }
    text += line("--check-config", "print all settings with their origins, check them, and exit")
    text += line("--version, --help", "print the version, or this help")
    text += """

      Limits. A SIZE is in bytes, or has a suffix K, M, G or T (powers of 1,024). A TIME is in seconds,
      or has units: 45s, 10m, 1h30m, 7d.


      """
    for setting in Setting.limits { text += line(setting) }
    return text
  }

  /// Returns a text, padded with blanks to `width` columns.
  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func line(_ setting: Setting, default value: String? = nil) -> String {
    let shown = value ?? setting.show(GatewayConfiguration()) ?? setting.defaultLabel
    return line(
      [setting.flag, setting.placeholder].compactMap(\.self).joined(separator: " "),
      setting.help, "[\(shown)]")
  }

  /// Returns the lines of the help for a flag. The description is wrapped in the second column. `unbroken` follows the
  /// description, and is not broken into several lines.
  private static func line(_ flag: String, _ description: String, _ unbroken: String? = nil) -> String {
    var lines = [""]
    for word in description.split(separator: " ").map(String.init) + [unbroken].compactMap(\.self) {
      if lines[lines.count - 1].isEmpty {
        lines[lines.count - 1] = word
      } else if lines[lines.count - 1].count + 1 + word.count <= width - column {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(word)
      }
    }
    let indent = String(repeating: " ", count: column)
    return padded("  \(flag)", to: column) + lines.joined(separator: "\n" + indent) + "\n"
  }

  private static let width = 100
  /// The column in which the descriptions of flags begin.
  private static let column = 43
}
