internal import FoundationEssentials
internal import Glibc
internal import GroupActivities
internal import Platform

/// Runs `watch`: shows the board of a session in a terminal, live. When a participant starts a new page for everyone, the command
/// continues with the successor session.
@MainActor
final class WatchCommand {
  private let command: DrawTogetherCommand
  private let interruptHandler: InterruptHandler

  init(_ command: DrawTogetherCommand, _ interruptHandler: InterruptHandler) {
    (self.command, self.interruptHandler) = (command, interruptHandler)
  }

  /// Runs until the session ends or Ctrl-C is pressed. With `once`, or if the output is not a terminal, prints one picture.
  func run(_ request: JoinRequest, _ link: URL, once: Bool) async throws(CommandError) {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    guard isTerminal, !once else { return try await showOnce(request, link, isTerminal: isTerminal) }
    var next: URL? = link
    let screen = BoardScreen(command.environment) { [command] text in
      // A closed terminal is not an error.
      try? command.data(Array(text.utf8))
    }
    interruptHandler.windowChanged = { screen.resize() }
    let terminal = RawTerminal()
    interruptHandler.setFinalOutput(TerminalFrame.end) { terminal.end() }
    var failure: CommandError?
    terminal.begin()
    screen.begin()
    do throws(CommandError) {
      while let link = next { next = try await watch(request, link, on: screen) }
    } catch {
      failure = error
    }
    screen.end()
    terminal.end()
    interruptHandler.setFinalOutput("")
    if let failure { throw failure }
  }

  /// Shows one session until its end. Returns the link of the successor session; nil if there is none.
  private func watch(
    _ request: JoinRequest, _ link: URL, on screen: BoardScreen
  ) async throws(CommandError) -> URL? {
    let participation = try await Participation(request, link: link)
    let session = participation.session
    interruptHandler.onInterrupt { await session.leaveAndWait() }
    screen.show(participation)
    await participation.events { entry in
      screen.apply(entry)
      return true
    }
    switch await participation.reason() {
    case .left, .ended: return nil
    case .succeeded(let successor): return successor
    case let reason: throw .sessionEnded(reason)
    }
  }

  private func showOnce(_ request: JoinRequest, _ link: URL, isTerminal: Bool) async throws(CommandError) {
    let participation = try await Participation(request, link: link)
    let session = participation.session
    interruptHandler.onInterrupt { await session.leaveAndWait() }
    do throws(CommandError) {
      try await participation.enter { _ in }
    } catch {
      throw interruptHandler.isInterrupted ? .interrupted : error
    }
    let size = WindowSize.ofStandardOutput(command.environment)
    let items = participation.boardItems()
    let camera = BoardCamera(showing: items.extent, width: 2 * size.columns, height: 4 * size.rows)
    let canvas = BoardPainter.paint(items, by: camera, columns: size.columns, rows: size.rows)
    let colors = TerminalColors.of(command.environment, isTerminal: isTerminal)
    await session.leaveAndWait()
    do throws(SystemError) {
      try command.data(Array(TerminalFrame(colors).lines(canvas).utf8))
    } catch {
      throw .output(error)
    }
  }
}

extension [Board.Item] {
  /// The bounding box of all items.
  var extent: PlaneBox? {
    reduce(nil) { box, item in
      guard let box, let one = item.box else { return box ?? item.box }
      return box.union(one)
    }
  }
}
