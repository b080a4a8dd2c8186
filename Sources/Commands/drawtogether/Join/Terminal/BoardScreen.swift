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
  /// Something has changed since the last picture began.
  private var isDue = false
  /// Draws as long as there is something to draw.
  private var drawing: Task<Void, Never>?
  private var nextFrame = ContinuousClock.now
  /// The screen is ours.
  private var isShown = false

  init(_ environment: [String: String], write: @escaping (String) -> Void) {
    self.environment = environment
    self.write = write
    frame = TerminalFrame(TerminalColors.of(environment, isTerminal: true))
    size = WindowSize.ofStandardOutput(environment)
  }

  /// Takes the screen over.
  func begin() {
    write(TerminalFrame.begin)
    isShown = true
    changed()
  }

  /// Gives it back as it was.
  func end() {
    isShown = false
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
    isDue = true
    guard drawing == nil, isShown else { return }
    drawing = Task {
      while isDue, isShown {
        // A task of our own is cancelled by nobody.
        try? await Task.sleep(until: nextFrame)
        isDue = false
        await draw()
      }
      drawing = nil
    }
  }

  /// The picture is painted elsewhere: a large board takes its time, and what happens meanwhile is to be heard.
  private func draw() async {
    guard let participation else { return }
    let began = ContinuousClock.now
    let items = participation.boardItems()
    status.people = people.map { participation.session.name(of: $0) ?? "somebody" }.sorted()
    status.marks = participation.board.markCount
    status.attachments = participation.board.attachmentCount
    let (size, before) = (size, camera)
    let (camera, canvas) = await Self.painted(items, size, before)
    // The session may be another one by now, or over.
    guard isShown, self.participation === participation, self.size == size else { return }
    self.camera = camera
    let text = frame.drawing(canvas, status: status.text)
    if !text.isEmpty { write(text) }
    // As long again is left for others as the picture took.
    nextFrame = .now + max(Self.interval, ContinuousClock.now - began)
  }

  @concurrent
  private nonisolated static func painted(
    _ items: [Board.Item], _ size: WindowSize, _ before: BoardCamera?
  ) async -> (BoardCamera, BrailleCanvas) {
    let (width, height) = (2 * size.columns, 4 * size.rows)
    let extent = items.extent
    let camera =
      before?.following(extent, width: width, height: height)
      ?? BoardCamera(showing: extent, width: width, height: height)
    return (camera, BoardPainter.paint(items, by: camera, columns: size.columns, rows: size.rows))
  }
}
