internal import GroupActivities

/// A terminal's screen with a board on it: at most twenty pictures a second, however much happens.
@MainActor
final class BoardScreen {
  private static let interval = Duration.milliseconds(50)

  private let environment: [String: String]
  private let write: (String) -> Void
  private var frame: TerminalFrame
  private var size: WindowSize
  private var camera: BoardCamera?
  private var participation: Participation?
  private var status = StatusLine()
  private var people: [GroupActivities.Participant] = []
  private var isDue = false
  private var lastFrame = ContinuousClock.now - interval

  init(_ environment: [String: String], write: @escaping (String) -> Void) {
    self.environment = environment
    self.write = write
    frame = TerminalFrame(TerminalColors.of(environment, isTerminal: true))
    size = WindowSize.ofStandardOutput(environment)
  }

  /// Takes the screen over.
  func begin() {
    write(TerminalFrame.begin)
    changed()
  }

  /// Gives it back as it was.
  func end() {
    participation = nil
    write(TerminalFrame.end)
  }

  /// Shows another session from here on.
  func show(_ participation: Participation) {
    self.participation = participation
    status = StatusLine()
    people = []
    camera = nil
    changed()
  }

  /// The window has another size.
  func resize() {
    size = WindowSize.ofStandardOutput(environment)
    frame.forget()
    changed()
  }

  /// Something happened in the session.
  func note(_ entry: GroupSessionEntry) {
    switch entry {
    case .caughtUp:
      status.connection = .live
      status.notice = nil
    case .away: status.connection = .away
    case .trouble(let words), .notice(let words): status.notice = words
    case .participants(let active, _): people = active
    default: break
    }
    changed()
  }

  /// Draws soon; at once if the last time is long enough ago, so that pictures come also while very much happens.
  private func changed() {
    let now = ContinuousClock.now
    guard now - lastFrame < Self.interval else { return draw() }
    guard !isDue else { return }
    isDue = true
    Task {
      // A task of our own is cancelled by nobody.
      try? await Task.sleep(until: lastFrame + Self.interval)
      if isDue { draw() }
    }
  }

  private func draw() {
    isDue = false
    guard let participation else { return }
    let items = participation.boardItems()
    let (width, height) = (2 * size.columns, 4 * size.rows)
    let camera =
      camera?.following(items.extent, width: width, height: height)
      ?? BoardCamera(showing: items.extent, width: width, height: height)
    self.camera = camera
    status.people = people.map { participation.session.name(of: $0) ?? "somebody" }.sorted()
    status.marks = participation.board.markCount
    status.attachments = participation.board.attachmentCount
    let canvas = BoardPainter.paint(items, by: camera, columns: size.columns, rows: size.rows)
    let text = frame.drawing(canvas, status: status.text)
    if !text.isEmpty { write(text) }
    // A large board takes its time to paint: as long again is left for what happens.
    lastFrame = .now
  }
}
