internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import GroupActivities
internal import Platform

extension DrawTogetherCommand {
  /// Whether it is asked to take part in a session; that is done by `join`, everything else by `run`.
  var isToJoin: Bool { arguments.first == ArgumentParser.joinCommand }

  /// Takes part in a session: the module publishes on the main actor, which must not be blocked.
  @MainActor
  func join() async -> ExitCode {
    let request: JoinRequest
    do throws(JoinUsageError) {
      switch try JoinReader.read(Array(arguments.dropFirst())) {
      case .help:
        output(JoinHelp.text)
        return .success
      case .request(let asked): request = asked
      }
    } catch {
      tell("\(error)")
      return .usage
    }
    guard let link = URL(string: request.link) else {
      tell("\(JoinUsageError.notALink(request.link))")
      return .usage
    }
    do {
      let interruption = try Interruption()
      do throws(JoinFailure) {
        let code = try await perform(request, link, interruption)
        await interruption.finish()
        return code
      } catch {
        await interruption.finish()
        throw error
      }
    } catch let failure as JoinFailure {
      return tell(failure)
    } catch {
      tell("\(error)")
      return .failure
    }
  }

  @MainActor
  private func perform(
    _ request: JoinRequest, _ link: URL, _ interruption: Interruption
  ) async throws(JoinFailure) -> ExitCode {
    switch request.work {
    case .watch(let once):
      try await WatchWork(self, interruption).watch(request, link, once: once)
    case .tail(let sinceStart):
      try await TailWork(self, interruption).tail(request, link, sinceStart: sinceStart)
    case .say(let text, let place):
      try await AddingWork(self, interruption).say(text, at: place, request, link)
    case .attach(let file, let place, let width):
      try await AddingWork(self, interruption).attach(file, at: place, width: width, request, link)
    }
    return .success
  }

  /// Says something to people, in one line: a part of it may be the words of a peer, a gateway or a file, which are not to
  /// steer a terminal.
  func tell(_ words: String) {
    errors("drawtogether: \(TextMark.line(words))\n")
  }

  private func tell(_ failure: JoinFailure) -> ExitCode {
    switch failure {
    // Nobody reads any more, which is how many a reader ends.
    case .output(let error) where error.code == EPIPE: return .success
    default:
      tell("\(failure)")
      return .failure
    }
  }
}
