internal import Gateway

/// What `--help` prints, made of the one table of settings.
enum CommandHelp {
  /// The help: every flag with its default, in lines of at most 100 columns.
  static var text: String {
    var text = """
      DrawTogether \(Product.version): serves a shared canvas, and the sessions behind it.

      Usage: drawtogether [serve] [flags]       serve until SIGTERM
             drawtogether health [flags]        ask a running gateway whether it is well: 0 or 1
             drawtogether sessions [--json]     list the sessions in the data folder
             drawtogether export ID [--state]   write a session's entries as lines of JSON;
                                                --state: only what is retained
             drawtogether verify [ID]           check every record, entry and file
             drawtogether repair ID             repair a session's damaged log and accept the loss, which
                                                verify then no longer reports
             drawtogether backup DIR [--json]   copy all sessions, each as of one moment, to a new or an
                                                empty folder
             drawtogether restore DIR [--json]  put a backup into a folder without sessions that no
                                                gateway has
             drawtogether restore ID            undo the end of a session, while it is kept
             drawtogether end ID                end a session for everyone, as one in it can
             drawtogether delete ID [--now]     remove a session in which nobody is, and its attachments;
                                                --now: end it first where people are in it
             drawtogether join LINK …           take part in a session from a terminal: watch, say,
                                                attach, tail; join --help tells more

      Those from sessions to delete work on the folder that --data names: restore DIR while no gateway
      has it, the others also beside one that runs. Of a session's ID its beginning is enough. Exit codes:
      0 done, 1 it could not be done or found damage, 2 it was asked wrongly.

      A flag may be written --flag VALUE or --flag=VALUE. Each can also be set by an environment variable:
      --flush-interval by DRAWTOGETHER_FLUSH_INTERVAL. The flag wins; an empty variable counts as none.

      Flags, with their defaults:


      """
    let limits = Set(Setting.limits.map(\.name))
    for setting in Setting.all where !limits.contains(setting.name) {
      text += line(setting, default: setting.name == "reactors" ? "one a core" : nil)
    }
    text += line("--check-config", "print what is in force and whence, check it, and end")
    text += line("--version, --help", "print the version, or this")
    text += """

      Limits. A SIZE is in bytes, or ends in K, M, G or T, powers of 1,024. A TIME is in seconds, or has
      units: 45s, 10m, 1h30m, 7d.


      """
    for setting in Setting.limits { text += line(setting) }
    return text
  }

  /// Words behind blanks, so many that they are at least as wide as that.
  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func line(_ setting: Setting, default value: String? = nil) -> String {
    let shown = value ?? setting.show(GatewayConfiguration()) ?? setting.absence
    return line(
      [setting.flag, setting.placeholder].compactMap(\.self).joined(separator: " "),
      setting.help, "[\(shown)]")
  }

  /// A flag, and words about it in a column of their own, in as many lines as they need; the last ones stay together.
  private static func line(_ flag: String, _ words: String, _ together: String? = nil) -> String {
    var lines = [""]
    for word in words.split(separator: " ").map(String.init) + [together].compactMap(\.self) {
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
  /// Where the words begin.
  private static let column = 43
}
