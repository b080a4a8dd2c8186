internal import CLinux
internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import SessionCore
internal import Storage
internal import Synchronization
internal import Platform
internal import Primitives
internal import Wire

extension DrawTogetherCommand {
  /// The time limit for the answer of a gateway, and for a gateway to finish its start or stop.
  private static let timeout = Duration.seconds(15)

  /// Ends or deletes a session: through the gateway that owns the folder, or directly if no gateway does.
  func perform(
    _ work: SessionCommand.Work, _ prefix: SessionPrefix, in folder: String
  ) throws(CommandError) -> ExitCode {
    let sessions = try StoredSessions(in: folder)
    try Self.becomeOwner(of: sessions.data)
    // A complete id is not looked up in the folder: with `--durability memory`, the folder contains none of the gateway's
    // sessions.
    let id = if let whole = SessionID(prefix.text) { whole } else { try sessions.one(prefix) }
    try Self.perform(SessionCommand(work, id), sessions.data, folder)
    output("session \(id) \(work == .end ? "has ended" : "is deleted")\n")
    return .success
  }

  /// Removes damaged bytes from the log of a session and accepts their loss.
  func repair(_ prefix: SessionPrefix, in folder: String) throws(CommandError) -> ExitCode {
    let sessions = try StoredSessions(in: folder)
    try Self.becomeOwner(of: sessions.data)
    let id = try sessions.one(prefix)
    let wasDamaged = try sessions.isDamaged(id)
    if wasDamaged { try Self.perform(SessionCommand(.repair, id), sessions.data, folder) }
    guard try !sessions.isDamaged(id) else { throw .stillDamaged(id) }
    let bytes = try sessions.acceptLoss(of: id)
    guard wasDamaged || bytes > 0 else { throw .nothingLost(id) }
    output(
      bytes == 0
        ? "session \(id): the log is repaired without a loss\n"
        : "session \(id): the loss of \(bytes) damaged bytes is accepted; the bytes remain beside the log, in log.accepted-N\n"
    )
    return .success
  }

  /// Sends a command to the gateway that owns the folder. Runs the command directly if no gateway owns the folder.
  private static func perform(
    _ command: SessionCommand, _ data: DataFolder, _ folder: String
  ) throws(CommandError) {
    let deadline = MonotonicTime.now() + timeout
    while true {
      if let answer = try ask(command, data) {
        if case .refused(let reason) = answer { throw .refused(reason) }
        return
      }
      let held: DataFolder
      do throws(DataFolderError) {
        held = try DataFolder(opening: folder)
      } catch {
        // A gateway that is starting or stopping owns the folder but accepts no commands. In this case, the loop tries again
        // until the deadline.
        guard case .inUse = error, .now() < deadline else { throw .folder(error) }
        usleep(100_000)
        continue
      }
      return try perform(command, directlyIn: held, folder)
    }
  }

  private static func ask(
    _ command: SessionCommand, _ data: DataFolder
  ) throws(CommandError) -> SessionCommand.Answer? {
    try CommandError.converting(try data.ask(command.line, within: timeout)).map(
      SessionCommand.Answer.init(line:))
  }

  /// Switches to the user who owns the folder, so that new files belong to that user. Only root can do this.
  private static func becomeOwner(of data: DataFolder) throws(CommandError) {
    let owner = try CommandError.converting(try data.owner())
    guard owner.user != geteuid() else { return }
    guard geteuid() == 0, setegid(owner.group) == 0, seteuid(owner.user) == 0 else {
      throw .notOwner(owner.user)
    }
  }

  private static func perform(
    _ command: SessionCommand, directlyIn data: DataFolder, _ folder: String
  ) throws(CommandError) {
    let sessions = try StoredSessions(holding: data, folder)
    let id = command.session
    guard try sessions.all().contains(id) else { throw .noSession(SessionPrefix(id), folder: folder) }
    switch command.work {
    case .end: try sessions.end(id)
    case .delete, .deleteNow: try sessions.remove(id)
    case .repair: try sessions.removeDamage(id)
    }
  }
}
