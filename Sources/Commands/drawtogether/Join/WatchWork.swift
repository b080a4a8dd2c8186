internal import FoundationEssentials
internal import Glibc
internal import GroupActivities
internal import Platform

/// Shows a session's board in a terminal, live; it follows when somebody begins an empty page for everybody.
@MainActor
final class WatchWork {
  private let command: DrawTogetherCommand
  private let interruption: Interruption

  init(_ command: DrawTogetherCommand, _ interruption: Interruption) {
    (self.command, self.interruption) = (command, interruption)
  }

  /// Ends with the session, and by Ctrl-C; at once after one picture with `once` and where there is no terminal.
  func watch(_ request: JoinRequest, _ link: URL, once: Bool) async throws(JoinFailure) {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    guard isTerminal, !once else { return try await showOnce(request, link, isTerminal: isTerminal) }
    var next: URL? = link
    let screen = BoardScreen(command.environment) { [command] text in
      // Nobody sees what a terminal that is gone was to show.
      try? command.data(Array(text.utf8))
    }
    interruption.windowChanged = { screen.resize() }
    let keyboard = QuietKeyboard()
    interruption.setLastWords(TerminalFrame.end) { keyboard.end() }
    var ended: JoinFailure?
    keyboard.begin()
    screen.begin()
    do throws(JoinFailure) {
      while let link = next { next = try await watch(request, link, on: screen) }
    } catch {
      ended = error
    }
    screen.end()
    keyboard.end()
    interruption.setLastWords("")
    if let ended { throw ended }
  }

  /// Watches one session to its end; returns its successor.
  private func watch(
    _ request: JoinRequest, _ link: URL, on screen: BoardScreen
  ) async throws(JoinFailure) -> URL? {
    let participation = try await Participation(request, link: link)
    let session = participation.session
    interruption.onInterrupt { await session.leaveAndWait() }
    screen.show(participation)
    await participation.events { entry in
      screen.note(entry)
      return true
    }
    switch await participation.reason() {
    case .left, .ended: return nil
    case .succeeded(let successor): return successor
    case let reason: throw .ended(reason)
    }
  }

  private func showOnce(_ request: JoinRequest, _ link: URL, isTerminal: Bool) async throws(JoinFailure) {
    let participation = try await Participation(request, link: link)
    let session = participation.session
    interruption.onInterrupt { await session.leaveAndWait() }
    do throws(JoinFailure) {
      try await participation.enter { _ in }
    } catch {
      throw interruption.isInterrupted ? .interrupted : error
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
  /// The box around all of them.
  var extent: PlaneBox? {
    reduce(nil) { box, item in
      guard let box, let one = item.box else { return box ?? item.box }
      return box.union(one)
    }
  }
}
