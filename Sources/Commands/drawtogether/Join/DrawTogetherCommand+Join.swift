internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import GroupActivities
internal import Platform

extension DrawTogetherCommand {
  /// True for the command `join`, which `join()` runs. `run()` runs all other commands.
  var isJoin: Bool { arguments.first == ArgumentParser.joinCommand }

  /// Runs the command `join`. The client library publishes events on the main actor, so nothing may block the main actor.
  @MainActor
  func join() async -> ExitCode {
    let request: JoinRequest
    do throws(CommandError) {
      switch try JoinArgumentParser.parse(Array(arguments.dropFirst())) {
      case .help:
        output(JoinHelp.text)
        return .success
      case .request(let parsed): request = parsed
      }
    } catch {
      return reportJoin(error)
    }
    guard let link = URL(string: request.link) else {
      return reportJoin(.invalidLink(request.link))
    }
    do {
      let interruptHandler = try InterruptHandler()
      do throws(CommandError) {
        let code = try await perform(request, link, interruptHandler)
        await interruptHandler.finish()
        return code
      } catch {
        await interruptHandler.finish()
        throw error
      }
    } catch let error as CommandError {
      return reportJoin(error)
    } catch {
      printMessage("\(error)")
      return .failure
    }
  }

  @MainActor
  private func perform(
    _ request: JoinRequest, _ link: URL, _ interruptHandler: InterruptHandler
  ) async throws(CommandError) -> ExitCode {
    switch request.action {
    case .watch(let once):
      try await WatchCommand(self, interruptHandler).run(request, link, once: once)
    case .tail(let sinceStart):
      try await TailCommand(self, interruptHandler).run(request, link, sinceStart: sinceStart)
    case .say(let text, let position):
      try await ShareCommand(self, interruptHandler).say(text, at: position, request, link)
    case .attach(let file, let position, let width):
      try await ShareCommand(self, interruptHandler).attach(file, at: position, width: width, request, link)
    }
    return .success
  }

  /// Prints a message in one line without terminal controls, because parts of the message may come from a peer, a gateway or a
  /// file.
  func printMessage(_ text: String) {
    errors("drawtogether: \(TextMark.line(text))\n")
  }

  /// Prints an error as a message. Returns the exit code.
  private func reportJoin(_ error: CommandError) -> ExitCode {
    // It is not an error if the reader of the output closes the pipe, as `head` does.
    if case .output(let cause) = error, cause.code == EPIPE { return .success }
    printMessage("\(error)")
    return error.exitCode
  }
}
