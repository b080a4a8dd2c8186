internal import GroupActivities

/// A terminal screen that shows a board, with at most twenty frames per second.
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
  private var participants: [GroupActivities.Participant] = []
  /// True if the board changed since the last frame began.
  private var needsFrame = false
  /// The task that draws frames until the board has no more changes; nil while no frame is needed.
  private var drawing: Task<Void, Never>?
  private var nextFrame = ContinuousClock.now
  /// True while this screen is on the terminal.
  private var isShown = false

  init(_ environment: [String: String], write: @escaping (String) -> Void) {
    self.environment = environment
    self.write = write
    frame = TerminalFrame(TerminalColors.of(environment, isTerminal: true))
    size = WindowSize.ofStandardOutput(environment)
  }

  /// Switches the terminal to this screen.
  func begin() {
    write(TerminalFrame.begin)
    isShown = true
    scheduleFrame()
  }

  /// Restores the terminal.
  func end() {
    isShown = false
    participation = nil
    write(TerminalFrame.end)
  }

  /// Switches to another session.
  func show(_ participation: Participation) {
    self.participation = participation
    status = StatusLine()
    participants = []
    camera = nil
    scheduleFrame()
  }

  /// Adapts to a new window size.
  func resize() {
    size = WindowSize.ofStandardOutput(environment)
    frame.invalidate()
    scheduleFrame()
  }

  /// Applies an event of the session.
  func apply(_ entry: GroupSessionEntry) {
    switch entry {
    case .caughtUp:
      status.connection = .live
      status.notice = nil
    case .away: status.connection = .away
    case .trouble(let text), .notice(let text): status.notice = text
    case .participants(let active, _): participants = active
    default: break
    }
    scheduleFrame()
  }

  /// Schedules a frame for `nextFrame`, or for now if that time has passed. Further changes do not delay the frame.
  private func scheduleFrame() {
    needsFrame = true
    guard drawing == nil, isShown else { return }
    drawing = Task {
      while needsFrame, isShown {
        // The sleep throws an error only when the task is cancelled, and this task is never cancelled.
        try? await Task.sleep(until: nextFrame)
        needsFrame = false
        await draw()
      }
      drawing = nil
    }
  }

  /// Draws a frame. Renders on another thread, because a large board takes time and the main actor must handle events.
  private func draw() async {
    guard let participation else { return }
    let began = ContinuousClock.now
    let items = participation.boardItems()
    status.participants = participants.map { participation.session.name(of: $0) ?? "somebody" }.sorted()
    status.marks = participation.board.markCount
    status.attachments = participation.board.attachmentCount
    let (size, before) = (size, camera)
    let (camera, canvas) = await Self.rendered(items, size, before)
    // The session may have changed or ended while the frame was rendered.
    guard isShown, self.participation === participation, self.size == size else { return }
    self.camera = camera
    let text = frame.output(canvas, status: status.text)
    if !text.isEmpty { write(text) }
    // After a frame that took a long time, the next frame waits for the same time. So drawing takes at most half of the time.
    nextFrame = .now + max(Self.interval, ContinuousClock.now - began)
  }

  @concurrent
  private nonisolated static func rendered(
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
