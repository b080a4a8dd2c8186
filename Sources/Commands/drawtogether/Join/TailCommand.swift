internal import FoundationEssentials
internal import GroupActivities
internal import Platform

/// Runs `tail`: prints the events of a session as lines of JSON, until the session is over.
@MainActor
struct TailCommand {
  private let command: DrawTogetherCommand
  private let interruptHandler: InterruptHandler

  init(_ command: DrawTogetherCommand, _ interruptHandler: InterruptHandler) {
    (self.command, self.interruptHandler) = (command, interruptHandler)
  }

  /// Prints events until the session ends, Ctrl-C is pressed, or the reader of the output is gone.
  func run(_ request: JoinRequest, _ link: URL, sinceStart: Bool) async throws(CommandError) {
    let participation = try await Participation(request, link: link)
    let session = participation.session
    interruptHandler.onInterrupt { await session.leaveAndWait() }
    var filter = TailFilter(sinceStart: sinceStart)
    var outputError: SystemError?
    await participation.events { entry in
      guard filter.passes(entry) else { return true }
      let names = TailLine.Names(name: session.name, color: session.color)
      guard let line = TailLine.json(entry, names) else { return true }
      do throws(SystemError) {
        try command.data(line)
      } catch {
        outputError = error
      }
      return outputError == nil
    }
    if let outputError {
      await session.leaveAndWait()
      throw .output(outputError)
    }
    let reason = await participation.reason()
    do throws(SystemError) {
      try command.data(TailLine.ended(reason))
    } catch {
      throw .output(error)
    }
    switch reason {
    case .left, .ended, .succeeded: break
    default: throw .sessionEnded(reason)
    }
  }
}

/// Selects the events to print. No event is printed twice. Events before the join are printed only with `--since-start`.
struct TailFilter {
  let sinceStart: Bool
  private var isLive = false
  private var isAway = false

  init(sinceStart: Bool) {
    self.sinceStart = sinceStart
  }

  mutating func passes(_ entry: GroupSessionEntry) -> Bool {
    switch entry {
    case .catchUp: return false
    case .away:
      isAway = true
      return true
    case .caughtUp:
      // `caughtUp` is printed once after the join, and once after each reconnect.
      defer { (isLive, isAway) = (true, false) }
      return !isLive || isAway
    case .message(let message): return (isLive || sinceStart) && !message.isRepeat
    default: return true
    }
  }
}
