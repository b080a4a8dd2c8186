internal import CLinux
internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import SessionCore
internal import Storage
internal import Synchronization
internal import Transport
internal import Wire

extension DrawTogetherCommand {
  /// The time for a gateway to answer, and for a gateway that starts or stops to finish that.
  private static let patience = Duration.seconds(15)

  /// Ends or deletes a session: through the gateway that has the folder, or directly if none has.
  func perform(
    _ work: SessionCommand.Work, _ prefix: SessionPrefix, in folder: String
  ) throws(DataCommandFailure) -> ExitCode {
    let looking = try StoredSessions(in: folder)
    try Self.becomeOwner(of: looking.data)
    // A gateway that keeps sessions in memory only has no folder with sessions.
    let id = if let whole = SessionID(prefix.text) { whole } else { try looking.one(prefix) }
    let command = SessionCommand(work, id)
    let deadline = MonotonicTime.now() + Self.patience
    while true {
      if let answer = try Self.ask(command, looking.data) {
        if case .refused(let reason) = answer { throw .refused(reason) }
        break
      }
      let data: DataFolder
      do throws(DataFolderError) {
        data = try DataFolder(opening: folder)
      } catch {
        // A gateway that starts or stops has the folder but accepts no commands.
        guard case .inUse = error, .now() < deadline else { throw .folder(error) }
        usleep(100_000)
        continue
      }
      try Self.perform(command, directlyIn: data, folder)
      break
    }
    output("session \(id) \(work == .end ? "has ended" : "is deleted")\n")
    return .success
  }

  private static func ask(
    _ command: SessionCommand, _ data: DataFolder
  ) throws(DataCommandFailure) -> SessionCommand.Answer? {
    do throws(StorageError) {
      return try data.ask(command.line, within: patience).map { SessionCommand.Answer(line: $0) }
    } catch {
      throw .storage(error)
    }
  }

  /// Switches to the user who owns the folder, so that new files belong to that user. Only root can do this.
  private static func becomeOwner(of data: DataFolder) throws(DataCommandFailure) {
    let owner: (user: UInt32, group: UInt32)
    do throws(StorageError) {
      owner = try data.owner()
    } catch {
      throw .storage(error)
    }
    guard owner.user != geteuid() else { return }
    guard geteuid() == 0, setegid(owner.group) == 0, seteuid(owner.user) == 0 else {
      throw .notOwner(owner.user)
    }
  }

  private static func perform(
    _ command: SessionCommand, directlyIn data: DataFolder, _ folder: String
  ) throws(DataCommandFailure) {
    let sessions = try StoredSessions(holding: data, folder)
    let id = command.session
    guard try sessions.all().contains(id) else { throw .noSession(SessionPrefix(id), folder: folder) }
    guard command.work == .end else { return try sessions.remove(id) }
    try sessions.end(id)
  }
}
