internal import Gateway
internal import GroupActivities
internal import Networking
internal import Platform
internal import Storage
internal import Wire

/// An error that ends a command. Its description is one sentence or clause for the operator.
enum CommandError: Error, Equatable, Sendable {
  // MARK: - Command line and environment

  /// An invalid value. The first associated value is nil if the value is a secret.
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
  /// A second session or folder for a command that takes only one.
  case secondOperand(String, command: String, takes: String)
  /// A `backup` command without a folder.
  case missingFolder(command: String)
  /// A `restore` command without a folder or session.
  case missingFolderOrSession(command: String)

  // MARK: - Command line of `join`

  case missingLink
  case invalidLink(String)
  case missingAction
  case unknownAction(String)
  case missingOperand(String, action: String)
  /// An extra operand: the action takes fewer operands.
  case extraOperand(String, action: String)
  case unknownJoinFlag(String)
  case flagOfOtherAction(String, action: String, takes: [String])
  /// An invalid value of a flag, as text for the error message.
  case invalidJoinValue(String, flag: String, expected: String)
  case valueOfSwitch(String)
  case tooLong(String, limit: Int, actual: Int)

  // MARK: - Settings

  /// A setting that requires another setting.
  case requires(setting: String, other: String)
  /// A setting that must be at least as high as another setting, but is lower.
  case tooLow(setting: String, value: String, other: String, minimum: String)
  /// Both listeners are off.
  case noListener
  /// Two listeners with overlapping addresses and the same port; each with its setting.
  case sameAddress(String, String)
  /// A setting that forces https, although the public URL is http.
  case insecurePublicURL(String, String, WebOrigin)
  /// Two settings for the same value.
  case bothGiven(String, String)
  /// A token file that cannot be read.
  case unreadableToken(path: String, SystemError)
  /// A token file without a token.
  case noToken(path: String)
  /// Settings that do not fit into the available memory.
  case memory(MemoryShortage)
  /// A secret in the folder of the page.
  case published(setting: String, path: String, page: String)
  /// A disk reserve that is larger than the disk.
  case reserveBeyondDisk(reserve: UInt64, disk: UInt64, data: String)
  /// An error at the start of the gateway. The text of the error begins with `setting`, the setting that caused it.
  case start(GatewayError, setting: String?)

  // MARK: - Health

  /// The port in the configuration is 0: the actual port is unknown.
  case portUnknown
  case unresolved(ListenAddress, AddressError)
  case unreachable(SystemError)
  case tls(String)
  /// The answer is not HTTP.
  case notHTTP
  /// The gateway closed the connection before its answer was complete.
  case noAnswer
  case timeout(limit: Duration)
  /// The gateway answered with a status other than 200.
  case unhealthy(status: Int)

  // MARK: - Data folders

  /// The folder is not a data folder, or cannot be read.
  case folder(DataFolderError)
  /// The content of the folder cannot be read.
  case storage(StorageError)
  /// No session's id begins with the prefix.
  case noSession(SessionPrefix, folder: String)
  /// The operand of `restore` names neither an existing folder nor a session.
  case neitherFolderNorSession(SessionPrefix, folder: String)
  /// The backup to restore does not exist.
  case noBackup(String)
  /// The operand of `restore` names both an existing folder and a session.
  case folderAndSession(SessionPrefix, folder: String)
  /// The ids of several sessions begin with the prefix.
  case ambiguous(SessionPrefix, [SessionID])
  /// The log of a session cannot be read or written.
  case log(SessionID, StorageError)
  /// The session to restore has not ended.
  case notEnded(SessionID)
  /// The session has no loss, or its loss was accepted before.
  case nothingLost(SessionID)
  /// The log of the session still contains damaged bytes.
  case stillDamaged(SessionID)
  /// The session was removed while the command ran.
  case gone(SessionID)
  /// The session to end has ended already.
  case alreadyEnded(SessionID)
  /// The data folder belongs to another user.
  case notOwner(UInt32)

  // MARK: - Backups

  /// The source of a copy is not a data folder, or cannot be read.
  case copySource(DataFolderCopy.Purpose, DataFolderError)
  /// The target of a copy cannot be used.
  case copyTarget(DataFolderCopy.Purpose, DataFolderError)
  /// The copy was interrupted.
  case copyInterrupted(CopyInterruption)

  // MARK: - Participation

  /// The session does not exist or cannot be reached.
  case notFound(String)
  /// The session ended before the command was complete.
  case sessionEnded(GroupSessionInvalidation)
  /// Ctrl-C was pressed before the command was complete.
  case interrupted
  /// A file cannot be read.
  case file(String, SystemError)
  /// A file is too large; `actual` is nil if its size is unknown.
  case fileTooLarge(String, limit: Int, actual: Int?)

  // MARK: - Any command

  /// The operation was refused, usually by the gateway. The text is the reason, in one clause.
  case refused(String)
  /// Standard output cannot be written.
  case output(SystemError)
  /// A system call failed, such as the start of a thread.
  case system(SystemError)
}

extension CommandError {
  /// The exit code of the process: `usage` for an error in arguments, settings or named folders.
  var exitCode: DrawTogetherCommand.ExitCode {
    switch self {
    case .invalidValue, .missingValue, .unknownFlag, .unknownVariable, .unknownCommand, .unexpectedArgument,
      .separateSwitchValue, .flagOfOtherCommand, .missingSession, .invalidSession, .secondOperand,
      .missingFolder, .missingFolderOrSession:
      .usage
    case .missingLink, .invalidLink, .missingAction, .unknownAction, .missingOperand, .extraOperand,
      .unknownJoinFlag, .flagOfOtherAction, .invalidJoinValue, .valueOfSwitch, .tooLong:
      .usage
    case .requires, .tooLow, .noListener, .sameAddress, .insecurePublicURL, .bothGiven, .unreadableToken,
      .noToken, .memory, .published, .reserveBeyondDisk:
      .usage
    case .start(_, let setting): setting == nil ? .failure : .usage
    case .portUnknown, .unresolved, .unreachable, .tls, .notHTTP, .noAnswer, .timeout, .unhealthy: .failure
    case .folder, .copySource, .copyTarget: .usage
    case .storage, .noSession, .neitherFolderNorSession, .noBackup, .folderAndSession, .ambiguous, .log,
      .notEnded, .nothingLost, .stillDamaged, .gone, .alreadyEnded, .notOwner, .copyInterrupted:
      .failure
    case .notFound, .sessionEnded, .interrupted, .file, .fileTooLarge: .failure
    case .refused, .output, .system: .failure
    }
  }

  /// Creates the error for a gateway that could not start. The message begins with the setting that caused the error, if there is
  /// one.
  init(_ error: GatewayError, of configuration: GatewayConfiguration) {
    let setting: String? =
      switch error {
      case .unreadableFile, .noIndex, .filesTooLarge, .tooManyFiles, .invalidInlineHashes, .outOfMemory:
        "--public: "
      case .dataFolder, .storage: "--data: "
      case .certificate: configuration.certificateFile == nil ? nil : "--tls-cert and --tls-key: "
      case .address(let address, _): address == configuration.http ? "--http " : "--https "
      case .listen, .system: nil
      }
    self = .start(error, setting: setting)
  }

  /// Runs an operation on stored data and converts its error.
  static func converting<Result>(
    _ operation: @autoclosure () throws(StorageError) -> Result
  ) throws(CommandError) -> Result {
    do throws(StorageError) {
      return try operation()
    } catch {
      throw .storage(error)
    }
  }

  /// Runs an operation on the log of a session and converts its error.
  static func converting<Result>(
    ofLog id: SessionID, _ operation: @autoclosure () throws(StorageError) -> Result
  ) throws(CommandError) -> Result {
    do throws(StorageError) {
      return try operation()
    } catch {
      throw .log(id, error)
    }
  }
}
