internal import FoundationEssentials
internal import GroupActivities
internal import Platform

/// Writes what happens in a session as lines of JSON, until it is over.
@MainActor
struct TailWork {
  private let command: DrawTogetherCommand
  private let interruption: Interruption

  init(_ command: DrawTogetherCommand, _ interruption: Interruption) {
    (self.command, self.interruption) = (command, interruption)
  }

  /// Ends with the session, by Ctrl-C, and when nobody reads what is written.
  func tail(_ request: JoinRequest, _ link: URL, sinceStart: Bool) async throws(JoinFailure) {
    let participation = try await Participation(request, link: link)
    let session = participation.session
    interruption.onInterrupt { await session.leaveAndWait() }
    var filter = TailFilter(sinceStart: sinceStart)
    var fault: SystemError?
    await participation.events { entry in
      guard filter.passes(entry) else { return true }
      let names = TailLine.Names(name: session.name, color: session.color)
      guard let line = TailLine.json(entry, names) else { return true }
      do throws(SystemError) {
        try command.data(line)
      } catch {
        fault = error
      }
      return fault == nil
    }
    if let fault {
      await session.leaveAndWait()
      throw .output(fault)
    }
    let reason = await participation.reason()
    do throws(SystemError) {
      try command.data(TailLine.ended(reason))
    } catch {
      throw .output(error)
    }
    switch reason {
    case .left, .ended, .succeeded: break
    default: throw .ended(reason)
    }
  }
}

/// What of all that happens is told: nothing twice, and what was there before only if that is wanted.
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
      // Also who reads only lines wants to know that it is back; that it was caught up in between is of no matter.
      defer { (isLive, isAway) = (true, false) }
      return !isLive || isAway
    case .message(let message): return (isLive || sinceStart) && !message.isRepeat
    default: return true
    }
  }
}
