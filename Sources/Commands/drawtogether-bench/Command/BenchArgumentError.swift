/// An error in the command line. The description is one sentence for the user.
enum BenchArgumentError: Error, Equatable, CustomStringConvertible {
  case missingMode
  case unknownMode(String)
  case unknownFlag(String, mode: BenchMode)
  case flagOfOtherMode(String, mode: BenchMode)
  case unexpectedArgument(String)
  case missingValue(flag: String, expected: String)
  case invalidValue(flag: String, value: String, expected: String)
  case unexpectedValue(flag: String)
  case missingServer(BenchMode)
  case missingProcess(BenchMode)
  case excluding(String, String)

  private static let modes = BenchMode.public.map(\.rawValue).joined(separator: ", ")

  var description: String {
    switch self {
    case .missingMode:
      "missing mode: expected \(Self.modes)."
    case .unknownMode(let word):
      "unknown mode \"\(word)\": expected \(Self.modes)."
    case .unknownFlag(let flag, let mode):
      "unknown flag \(flag): --help lists the flags of \(mode.rawValue)."
    case .flagOfOtherMode(let flag, let mode):
      "\(mode.rawValue) does not take \(flag): --help lists its modes."
    case .unexpectedArgument(let word):
      "unexpected argument \"\(word)\": after the mode, only flags are allowed."
    case .missingValue(let flag, let expected):
      "missing value for \(flag): expected \(expected)."
    case .invalidValue(let flag, let value, let expected):
      "invalid value \"\(value)\" for \(flag): expected \(expected)."
    case .unexpectedValue(let flag):
      "\(flag) takes no value."
    case .missingServer(let mode):
      "\(mode.rawValue) needs a server: set --server to a URL such as http://127.0.0.1:8080."
    case .missingProcess(let mode):
      "\(mode.rawValue) needs the server's process: set --pid to its number."
    case .excluding(let one, let other):
      "\(one) and \(other) exclude each other."
    }
  }
}
