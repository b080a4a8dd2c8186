/// A request to take part in a session.
struct JoinRequest: Equatable {
  enum Action: Equatable {
    /// Shows the board, live or once.
    case watch(once: Bool)
    /// Adds a text.
    case say(String, at: PlanePoint?)
    /// Adds a file.
    case attach(String, at: PlanePoint?, width: Double?)
    /// Prints events as lines of JSON.
    case tail(sinceStart: Bool)
  }

  /// The link of the session.
  var link: String
  /// A PEM file with certificates that are trusted in addition to the system's.
  var certificates: String?
  var name: String?
  /// `#` and six hexadecimal digits.
  var color: String?
  var action: Action
}

/// An error in the command line of `join`. The description is one sentence.
enum JoinArgumentError: Error, Equatable, CustomStringConvertible {
  case missingLink
  case invalidLink(String)
  case missingAction
  case unknownAction(String)
  case missingOperand(String, action: String)
  case unexpectedArgument(String, action: String)
  case unknownFlag(String)
  case flagOfOtherAction(String, action: String, takes: [String])
  case missingValue(String, expected: String)
  case invalidValue(String, flag: String, expected: String)
  case valueOfSwitch(String)
  case tooLong(String, limit: Int, actual: Int)

  var description: String {
    switch self {
    case .missingLink:
      "join needs the link of a session: http(s)://HOST/s/ID, the address that the page shares."
    case .invalidLink(let text):
      "\(text) is not the link of a session: expected http(s)://HOST/s/ID, the address that the page shares."
    case .missingAction: "join needs an action: \(JoinArgumentParser.actions)."
    case .unknownAction(let action): "unknown action \"\(action)\": expected \(JoinArgumentParser.actions)."
    case .missingOperand(let operand, let action): "\(action) needs \(operand)."
    case .unexpectedArgument(let argument, let action):
      "unexpected argument \"\(argument)\": \(action) takes no more arguments."
    case .unknownFlag(let flag): "unknown flag \(flag); drawtogether join --help lists all flags."
    case .flagOfOtherAction(let flag, let action, let takes):
      "\(action) does not take \(flag): its flags are \(takes.joined(separator: ", "))."
    case .missingValue(let flag, let expected): "missing value for \(flag): expected \(expected)."
    case .invalidValue(let value, let flag, let expected):
      "invalid value \"\(value)\" for \(flag): expected \(expected)."
    case .valueOfSwitch(let flag): "\(flag) takes no value."
    case .tooLong(let name, let limit, let actual):
      "\(name) takes at most \(limit) characters, but has \(actual)."
    }
  }
}
