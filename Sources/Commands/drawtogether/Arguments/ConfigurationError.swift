internal import Gateway

/// Why a command line and an environment make no configuration: one sentence, for a person.
enum ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A value that its setting does not take; `value` is `nil` when it is a secret.
  case notAccepted(setting: String, value: String?, accepted: String)
  /// A flag at the end of the line that needs a value.
  case missingValue(setting: String, accepted: String)
  case unknownFlag(String, nearest: String?)
  case unknownVariable(String, nearest: String?)
  /// A first word that is no command; `flag` is the flag that has this name, if one has.
  case unknownCommand(String, known: [String], flag: String?)
  /// A word that no flag asked for.
  case unexpectedArgument(String)
  /// A yes or no behind a switch, which takes none from there.
  case valueOfSwitch(String, flag: String)
  /// A flag of `serve`, given to a command that has no use for it.
  case flagOfOther(String, command: String, takes: [String])
  /// A command that is about one session, and no session.
  case missingSession(command: String)
  /// A word that no session's id begins with.
  case notASession(String)
  /// A second session or folder for a command that takes one.
  case secondWord(String, command: String, takes: String)
  /// A command that makes a folder, and no folder.
  case missingFolder(command: String)
  /// A command that is about a backup or a session, and neither.
  case missingFolderOrSession(command: String)
  /// A setting that makes sense only together with another.
  case needs(setting: String, other: String)
  /// A setting that may not be less than another; both are given as they are written.
  case lessThan(setting: String, value: String, other: String, least: String)
  /// Both listeners are off.
  case nothingToServe
  /// Two listeners that cannot both have their port; each with its setting.
  case sameAddress(String, String)
  /// A setting that keeps browsers from the public address, which is one of plain HTTP.
  case closesPublicURL(String, String, WebOrigin)
  /// Two settings that give the same thing.
  case bothGiven(String, String)

  var description: String {
    switch self {
    case .notAccepted(let setting, .some(let value), let accepted):
      "\(setting) does not take \(JSONText.quoted(value)): it takes \(accepted)."
    case .notAccepted(let setting, .none, let accepted):
      "\(setting) does not take the value that was given: it takes \(accepted)."
    case .missingValue(let setting, let accepted):
      "\(setting) needs a value: it takes \(accepted)."
    case .unknownFlag(let flag, let nearest):
      "\(Self.shown(flag)) is not known" + Self.suggestion(nearest)
    case .unknownVariable(let variable, let nearest):
      "The environment variable \(Self.shown(variable)) is not known" + Self.suggestion(nearest)
    case .unknownCommand(let command, let known, let flag):
      "\(JSONText.quoted(command)) is no command: there are \(known.joined(separator: ", "))"
        + (flag.map { "; did you mean \($0)?" } ?? ".")
    case .unexpectedArgument(let argument):
      "\(JSONText.quoted(argument)) was not expected: every setting has a flag with two dashes, see --help."
    case .valueOfSwitch(let argument, let flag):
      "\(JSONText.quoted(argument)) was not expected: \(flag) is on without a value, or takes it as in"
        + " \(flag)=\(argument)."
    case .flagOfOther(let flag, let command, let takes):
      "\(flag) is not for \(command): it takes \(takes.joined(separator: " and "))."
    case .missingSession(let command):
      "\(command) needs a session: the beginning of its id, as \"drawtogether sessions\" shows it."
    case .notASession(let argument):
      "\(JSONText.quoted(argument)) is not the beginning of a session's id: it has 1 to 22 letters, digits, - and _."
    case .secondWord(let argument, let command, let takes):
      "\(JSONText.quoted(argument)) was not expected: \(command) takes one \(takes)."
    case .missingFolder(let command):
      "\(command) needs a folder for the backup: a new one, or one that is empty."
    case .missingFolderOrSession(let command):
      "\(command) needs the folder of a backup, or a session: the beginning of its id, as \"drawtogether sessions\" "
        + "shows it."
    case .needs(let setting, let other):
      "\(setting) needs \(other)."
    case .lessThan(let setting, let value, let other, let least):
      "\(setting) is \(value), which is less than the \(least) of \(other): raise the one or lower the other."
    case .nothingToServe:
      "--http and --https are both off: one of them takes HOST:PORT."
    case .sameAddress(let one, let other):
      "\(one) and \(other) cannot both have the port: give one of them another, or off."
    case .closesPublicURL(let setting, let other, let url):
      "\(setting) keeps browsers from plain HTTP, and so from \(other) \(url): give that with https://, or leave the first out."
    case .bothGiven(let one, let other):
      "\(one) and \(other) are both set: one of them is enough."
    }
  }

  /// A name as it was typed, escaped when that would not fit a line.
  private static func shown(_ name: String) -> String {
    name.unicodeScalars.contains(where: JSONText.mustBeEscaped) ? JSONText.quoted(name) : name
  }

  private static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; did you mean \($0)?" } ?? "; --help lists what is."
  }
}
