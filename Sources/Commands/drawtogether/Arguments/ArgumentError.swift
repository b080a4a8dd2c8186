internal import Gateway

/// An error in the command line or the environment. The description is one sentence for the operator.
enum ArgumentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An invalid value; nil when it is a secret.
  case invalidValue(String?, setting: String, expected: String)
  /// A flag without its value.
  case missingValue(setting: String, expected: String)
  /// An unknown flag, and the flag that it probably means.
  case unknownFlag(String, suggestion: String?)
  /// An unknown environment variable with our prefix, and the variable that it probably means.
  case unknownVariable(String, suggestion: String?)
  /// An unknown command; `flag` is the flag with this name, if one exists.
  case unknownCommand(String, known: [String], flag: String?)
  /// An argument that belongs to no flag.
  case unexpectedArgument(String)
  /// A boolean as a separate argument after a switch. The value of a switch is written with `=`.
  case separateSwitchValue(String, flag: String)
  /// A flag that this command does not have.
  case flagOfOtherCommand(String, command: String, takes: [String])
  /// A command without the session that it needs.
  case missingSession(command: String)
  /// An operand that cannot be the beginning of a session's id.
  case invalidSession(String)
  /// A second session or folder for a command that takes one.
  case secondOperand(String, command: String, takes: String)
  /// A `backup` command without a folder.
  case missingFolder(command: String)
  /// A `restore` command without a folder or session.
  case missingFolderOrSession(command: String)
  /// A setting that requires another setting.
  case requires(setting: String, other: String)
  /// A setting with a lower value than a setting that it must not be lower than.
  case tooLow(setting: String, value: String, other: String, minimum: String)
  /// Both listeners are off.
  case noListener
  /// Two listeners with overlapping addresses and the same port; each with its setting.
  case sameAddress(String, String)
  /// A setting that forces https, although the public URL is http.
  case insecurePublicURL(String, String, WebOrigin)
  /// Two settings for the same value.
  case bothGiven(String, String)

  var description: String {
    switch self {
    case .invalidValue(let value?, let setting, let expected):
      "invalid value \(JSONText.quoted(value)) for \(setting): expected \(expected)."
    case .invalidValue(nil, let setting, let expected):
      "invalid value for \(setting): expected \(expected)."
    case .missingValue(let setting, let expected):
      "missing value for \(setting): expected \(expected)."
    case .unknownFlag(let flag, let suggestion):
      "unknown flag \(Self.escaped(flag))" + Self.hint(suggestion, listing: "flags")
    case .unknownVariable(let variable, let suggestion):
      "unknown environment variable \(Self.escaped(variable))" + Self.hint(suggestion, listing: "settings")
    case .unknownCommand(let command, let known, let flag):
      "unknown command \(JSONText.quoted(command)): the commands are \(known.joined(separator: ", "))"
        + (flag.map { "; did you mean \($0)?" } ?? ".")
    case .unexpectedArgument(let argument):
      "unexpected argument \(JSONText.quoted(argument)): each setting is a flag that begins with --; see --help."
    case .separateSwitchValue(let argument, let flag):
      "unexpected argument \(JSONText.quoted(argument)): write \(flag) alone, or \(flag)=\(argument)."
    case .flagOfOtherCommand(let flag, let command, let takes):
      "\(command) does not take \(flag): its flags are \(takes.joined(separator: " and "))."
    case .missingSession(let command):
      "\(command) needs a session: the beginning of an id from \"drawtogether sessions\"."
    case .invalidSession(let argument):
      "\(JSONText.quoted(argument)) is not the beginning of a session's id: expected 1 to 22 letters, digits, - and _."
    case .secondOperand(let argument, let command, let takes):
      "unexpected argument \(JSONText.quoted(argument)): \(command) takes one \(takes)."
    case .missingFolder(let command):
      "\(command) needs a folder for the backup: a new or an empty one."
    case .missingFolderOrSession(let command):
      "\(command) needs the folder of a backup, or a session: the beginning of an id from \"drawtogether sessions\"."
    case .requires(let setting, let other):
      "\(setting) requires \(other)."
    case .tooLow(let setting, let value, let other, let minimum):
      "\(setting) is \(value), less than \(other) with \(minimum): raise the first or lower the second."
    case .noListener:
      "--http and --https are both off: set one of them to HOST:PORT."
    case .sameAddress(let one, let other):
      "\(one) and \(other) cannot share the port: change one of them, or set it to off."
    case .insecurePublicURL(let setting, let other, let url):
      "\(setting) makes browsers use https, but \(other) is \(url): change the URL to https://, or remove \(setting)."
    case .bothGiven(let one, let other):
      "\(one) and \(other) are both set: remove one of them."
    }
  }

  /// Returns a name as it was typed, escaped if it contains characters that do not fit into a line.
  private static func escaped(_ name: String) -> String {
    name.unicodeScalars.contains(where: JSONText.mustBeEscaped) ? JSONText.quoted(name) : name
  }

  private static func hint(_ suggestion: String?, listing names: String) -> String {
    suggestion.map { "; did you mean \($0)?" } ?? "; --help lists all \(names)."
  }
}
