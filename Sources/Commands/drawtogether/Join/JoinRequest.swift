/// What `drawtogether join` is asked to do.
struct JoinRequest: Equatable {
  enum Work: Equatable {
    /// Show the board, live or once.
    case watch(once: Bool)
    /// Put words on it.
    case say(String, at: PlanePoint?)
    /// Add a file.
    case attach(String, at: PlanePoint?, width: Double?)
    /// Write what happens as lines of JSON.
    case tail(sinceStart: Bool)
  }

  /// A session's link.
  var link: String
  /// A PEM file that is believed besides the system's authorities.
  var certificates: String?
  var name: String?
  /// `#` and six hexadecimal digits.
  var color: String?
  var work: Work
}

/// Why a command line is none of `join`: one sentence.
enum JoinUsageError: Error, Equatable, CustomStringConvertible {
  case noLink
  case notALink(String)
  case noWork
  case unknownWork(String)
  case missing(String, of: String)
  case unexpected(String, work: String)
  case unknownFlag(String, nearest: String?)
  case flagOfOther(String, work: String, takes: [String])
  case missingValue(String, accepted: String)
  case notAccepted(String, value: String, accepted: String)
  case valueOfSwitch(String)
  case tooLong(String, limit: Int, actual: Int)

  var description: String {
    switch self {
    case .noLink: "join needs a session's link: http(s)://HOST/s/ID, as the page's address has it."
    case .notALink(let text):
      "\(text) is not a session's link: that is http(s)://HOST/s/ID, as the page's address has it."
    case .noWork: "join needs something to do there: \(JoinReader.works)."
    case .unknownWork(let word): "join cannot \"\(word)\": it can \(JoinReader.works)."
    case .missing(let what, let work): "\(work) needs \(what)."
    case .unexpected(let word, let work): "\"\(word)\" was not expected: \(work) takes no more words."
    case .unknownFlag(let flag, let nearest):
      "\(flag) is not known"
        + (nearest.map { "; did you mean \($0)?" } ?? "; drawtogether join --help lists what is.")
    case .flagOfOther(let flag, let work, let takes):
      "\(flag) is not for \(work): it takes \(takes.joined(separator: ", "))."
    case .missingValue(let flag, let accepted): "\(flag) needs a value: it takes \(accepted)."
    case .notAccepted(let flag, let value, let accepted):
      "\(flag) does not take \"\(value)\": it takes \(accepted)."
    case .valueOfSwitch(let flag): "\(flag) takes no value."
    case .tooLong(let what, let limit, let actual):
      "\(what) takes at most \(limit) characters, and these are \(actual)."
    }
  }
}
