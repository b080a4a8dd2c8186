/// Why a command line makes no run: one sentence, for a person.
enum BenchUsageError: Error, Equatable, CustomStringConvertible {
  case missingMode
  case unknownMode(String)
  case unknownFlag(String, mode: BenchMode)
  case flagOfOther(String, mode: BenchMode)
  case unexpectedArgument(String)
  case missingValue(flag: String, accepted: String)
  case notAccepted(flag: String, value: String, accepted: String)
  case unexpectedValue(flag: String)
  case missingServer(BenchMode)
  case missingProcess(BenchMode)
  case excluding(String, String)

  private static let modes = BenchMode.asked.map(\.rawValue).joined(separator: ", ")

  var description: String {
    switch self {
    case .missingMode:
      "What to measure is missing: there are \(Self.modes)."
    case .unknownMode(let word):
      "\"\(word)\" is nothing to measure: there are \(Self.modes)."
    case .unknownFlag(let flag, let mode):
      "\(flag) is not known: --help lists the flags of \(mode.rawValue)."
    case .flagOfOther(let flag, let mode):
      "\(flag) is not for \(mode.rawValue): --help says what it is for."
    case .unexpectedArgument(let word):
      "\"\(word)\" was not expected: everything but the first word is a flag."
    case .missingValue(let flag, let accepted):
      "\(flag) needs a value: it takes \(accepted)."
    case .notAccepted(let flag, let value, let accepted):
      "\(flag) does not take \"\(value)\": it takes \(accepted)."
    case .unexpectedValue(let flag):
      "\(flag) takes no value."
    case .missingServer(let mode):
      "\(mode.rawValue) needs a server: --server takes a URL such as http://127.0.0.1:8080."
    case .missingProcess(let mode):
      "\(mode.rawValue) needs the server's process: --pid takes its number."
    case .excluding(let one, let other):
      "\(one) and \(other) exclude each other."
    }
  }
}
