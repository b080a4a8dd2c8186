internal import Gateway
internal import Glibc
internal import Storage
internal import Wire

extension CommandError: CustomStringConvertible {
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
      "\(command) needs the folder of a backup, or the beginning of a session's id, which \"drawtogether sessions\" shows."

    case .missingLink:
      "join needs the link of a session: http(s)://HOST/s/ID, the address that the page shares."
    case .invalidLink(let text):
      "\(text) is not the link of a session: expected http(s)://HOST/s/ID, the address that the page shares."
    case .missingAction: "join needs an action: \(JoinArgumentParser.actions)."
    case .unknownAction(let action): "unknown action \"\(action)\": expected \(JoinArgumentParser.actions)."
    case .missingOperand(let operand, let action): "\(action) needs \(operand)."
    case .extraOperand(let argument, let action):
      "unexpected argument \"\(argument)\": \(action) takes no more arguments."
    case .unknownJoinFlag(let flag): "unknown flag \(flag); drawtogether join --help lists all flags."
    case .flagOfOtherAction(let flag, let action, let takes):
      "\(action) does not take \(flag): its flags are \(takes.joined(separator: ", "))."
    case .invalidJoinValue(let value, let flag, let expected):
      "invalid value \"\(value)\" for \(flag): expected \(expected)."
    case .valueOfSwitch(let flag): "\(flag) takes no value."
    case .tooLong(let name, let limit, let actual):
      "\(name) takes at most \(limit) characters, but has \(actual)."

    case .requires(let setting, let other):
      "\(setting) requires \(other)."
    case .tooLow(let setting, let value, let other, let minimum):
      "\(setting) is \(value), less than \(other) (\(minimum)): raise the first or lower the second."
    case .noListener:
      "--http and --https are both off: set one of them to HOST:PORT."
    case .sameAddress(let one, let other):
      "\(one) and \(other) cannot share the port: change one of them, or set it to off."
    case .insecurePublicURL(let setting, let other, let url):
      "\(setting) makes browsers use https, but \(other) is \(url): change the URL to https://, or remove \(setting)."
    case .bothGiven(let one, let other):
      "\(one) and \(other) are both set: remove one of them."
    case .unreadableToken(let path, let error):
      "--metrics-token-file \(path) cannot be read (\(error)): expected a file that contains the token."
    case .noToken(let path):
      "--metrics-token-file \(path) contains no token: expected 1 to 256 visible ASCII characters in one line."
    case .memory(let shortage): "\(shortage)"
    case .published(let setting, let path, let page):
      "\(setting) \(path) is in \(page), the folder of --public, whose files are public: move it out."
    case .reserveBeyondDisk(let reserve, let disk, let data):
      "--disk-reserve-bytes is \(SettingValue.describe(size: Int(clamping: reserve))), "
        + "but the whole disk of --data \(data) has \(SettingValue.rough(size: disk)): lower the reserve."
    case .start(let error, let setting): "\(setting ?? "")\(error)"

    case .portUnknown: "the address has port 0; \"drawtogether health\" needs the gateway's actual port"
    case .unresolved(let address, let error): "\(address) \(error)"
    case .unreachable(let error): "the gateway cannot be reached (\(error))"
    case .tls(let words): "the TLS connection to the gateway failed (\(words))"
    case .notHTTP: "the answer of the gateway is not HTTP"
    case .noAnswer: "the gateway closed the connection before its answer was complete"
    case .timeout(let limit): "the gateway did not answer within \(limit)"
    case .unhealthy(let status): "the gateway answered with status \(status)"

    case .folder(let error): "--data: \(error)"
    case .storage(let error): "\(error)"
    case .noSession(let prefix, let folder): "no session in \(folder) begins with \(prefix.text)"
    case .neitherFolderNorSession(let prefix, let folder):
      "there is no folder \(prefix.text), and no session in \(folder) begins with \(prefix.text)"
    case .noBackup(let path): "there is no folder \(path) to restore"
    case .folderAndSession(let prefix, let folder):
      "\(prefix.text) is a folder, and also the beginning of a session's id in \(folder): "
        + "write ./\(prefix.text) for the folder, or more characters of the session's id"
    case .ambiguous(let prefix, let sessions):
      "\(sessions.count) sessions begin with \(prefix.text) (\(Self.few(sessions))): write more of the id"
    case .log(let id, let error) where error.code == EWOULDBLOCK:
      "session \(id) is being restored by another process"
    case .log(let id, let error): "session \(id): \(error)"
    case .notEnded(let id): "session \(id) has not ended: there is nothing to restore"
    case .nothingLost(let id): "session \(id) is not damaged: there is nothing to repair"
    case .stillDamaged(let id):
      "session \(id) is damaged and still has participants: "
        + "run this command after its gateway has opened the session again and removed the damaged bytes from the log"
    case .gone(let id): "session \(id) has expired and was removed"
    case .alreadyEnded(let id): "session \(id) has ended already"
    case .notOwner(let user):
      "the data folder belongs to user \(user), and only this user may run this command"

    case .copySource(.backup, let error), .copyTarget(.restore, let error): "--data: \(error)"
    case .copySource(.restore, .notAFolder(let path)), .copyTarget(.backup, .notAFolder(let path)):
      "\(path) is not a folder"
    case .copySource(.restore, let error): error.words(calling: "the backup")
    case .copyTarget(.backup, .inUse(let path, let process)):
      "the folder \(path) is in use by \(process.map { "process \($0)" } ?? "another process"): "
        + "each backup needs a separate folder"
    case .copyTarget(.backup, let error): error.words(calling: "the folder for the backup")
    case .copyInterrupted(let interruption): "\(interruption)"

    case .notFound(let text), .refused(let text): text
    case .sessionEnded(let reason): "\(reason)"
    case .interrupted: "the command was interrupted before it was complete"
    case .file(let name, let error): "\(name) cannot be read (\(error))"
    case .fileTooLarge(let name, let limit, let actual?):
      "\(name) has \(actual) bytes; the maximum is \(limit)"
    case .fileTooLarge(let name, let limit, nil):
      "\(name) has more than \(limit) bytes, the maximum"
    case .output(let error): "the output cannot be written (\(error))"
    case .system(let error): "\(error)"
    }
  }

  /// Returns a name as it was typed, escaped if it contains characters that do not fit into a line.
  private static func escaped(_ name: String) -> String {
    name.unicodeScalars.contains(where: JSONText.mustBeEscaped) ? JSONText.quoted(name) : name
  }

  private static func hint(_ suggestion: String?, listing names: String) -> String {
    suggestion.map { "; did you mean \($0)?" } ?? "; --help lists all \(names)."
  }

  private static func few(_ sessions: [SessionID]) -> String {
    let shown = sessions.map(\.text).sorted().prefix(3)
    // If ids are equal in their shortened form, more characters are shown.
    let alike = zip(shown, shown.dropFirst()).map { one, next in zip(one, next).prefix { $0 == $1 }.count }
    let length = max(6, 1 + (alike.max() ?? 0))
    return shown.map { $0.prefix(length) + "…" }.joined(separator: ", ") + (sessions.count > 3 ? ", …" : "")
  }
}
