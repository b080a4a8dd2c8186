internal import FoundationEssentials
internal import GroupActivities
internal import Glibc
internal import Platform

/// Runs `say` and `attach`: adds an item to the board, and returns when the item is on the gateway's disk.
@MainActor
struct ShareCommand {
  private static let textSize = 24.0
  /// The maximum side of a picture without `--size`, in points.
  private static let maximumPictureSide = 400.0

  private let command: DrawTogetherCommand
  private let interruptHandler: InterruptHandler

  init(_ command: DrawTogetherCommand, _ interruptHandler: InterruptHandler) {
    (self.command, self.interruptHandler) = (command, interruptHandler)
  }

  /// Adds a text in the requested color, or in the participant's color if no color is requested.
  func say(_ text: String, at position: PlanePoint?, _ request: JoinRequest, _ link: URL)
    async throws(CommandError)
  {
    try await withSession(request, link) { participation throws(CommandError) in
      let session = participation.session
      // The gateway gives the participant another color if the requested one looks like the color of another person. The text has
      // the requested color even then.
      let color =
        (request.color ?? session.color(of: session.localParticipant)).flatMap { RGB($0) } ?? RGB.palette[0]
      let corner = position ?? participation.freePosition()
      let message = UpsertTextMessage(
        text, at: corner, size: Self.textSize, color: color, z: participation.board.nextZ)
      do {
        try await GroupSessionMessenger(session: session).send(message)
      } catch {
        throw failure(error)
      }
      try await settle(participation)
    }
  }

  /// Adds a picture or a file.
  func attach(
    _ file: String, at position: PlanePoint?, width: Double?, _ request: JoinRequest, _ link: URL
  ) async throws(CommandError) {
    let content = try await BackgroundThread.run("file") { () throws(CommandError) in try InputFile.read(file)
    }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let head = ImageHeader(Array(content.prefix(InputFile.headBytes)))
    try await withSession(request, link) { participation throws(CommandError) in
      let metadata = placement(
        of: head, width, at: position ?? participation.freePosition(), participation.board.nextZ)
      do {
        _ = try await GroupSessionJournal(session: participation.session).add(
          content, name: name, contentType: head?.type ?? MediaType.of(name), metadata: metadata)
      } catch {
        throw failure(error)
      }
      try await settle(participation)
      if isatty(STDERR_FILENO) == 1 { command.errors("\r\u{1B}[K") }
    }
  }

  /// Returns a placement that keeps the proportions of the picture. Its `location` is the center.
  private func placement(
    of head: ImageHeader?, _ width: Double?, at corner: PlanePoint, _ z: UInt64
  ) -> PlacementMetadata {
    guard let head else {
      let center = corner + 0.5 * PlanePoint(x: Placement.card.width, y: Placement.card.height)
      return PlacementMetadata(location: [center.rounded.x, center.rounded.y], z: z)
    }
    guard let size = head.size else {
      let center = corner + 0.5 * PlanePoint(x: Placement.defaultSide, y: Placement.defaultSide)
      return PlacementMetadata(location: [center.rounded.x, center.rounded.y], z: z)
    }
    let natural = (width: Double(size.width), height: Double(size.height))
    let scale =
      width.map { $0 / natural.width } ?? min(1, Self.maximumPictureSide / max(natural.width, natural.height))
    let shown = PlanePoint(x: max(1, scale * natural.width), y: max(1, scale * natural.height))
    let center = (corner + 0.5 * shown).rounded
    return PlacementMetadata(
      location: [center.x, center.y], width: PlanePoint.rounded(shown.x), height: PlanePoint.rounded(shown.y),
      z: z)
  }

  /// Joins the session, runs `body`, and leaves, even after an error.
  private func withSession(
    _ request: JoinRequest, _ link: URL, _ body: (Participation) async throws(CommandError) -> Void
  ) async throws(CommandError) {
    PageRetention.declare()
    let participation = try await Participation(request, link: link)
    let session = participation.session
    interruptHandler.onInterrupt { await session.leaveAndWait() }
    do throws(CommandError) {
      try await participation.enter { report($0) }
      try await body(participation)
    } catch {
      await session.leaveAndWait()
      throw interruptHandler.isInterrupted ? .interrupted : error
    }
    await session.leaveAndWait()
  }

  /// Prints messages and upload progress.
  private func report(_ entry: GroupSessionEntry) {
    switch entry {
    case .trouble(let words), .notice(let words): command.printMessage(words)
    case .progress(_, let offset, let size?): printProgress(offset, size)
    default: break
    }
  }

  /// Prints the upload progress on a terminal.
  private func printProgress(_ done: Int, _ all: Int) {
    guard isatty(STDERR_FILENO) == 1, all > 0, done % max(1, all / 100) == 0 else { return }
    command.errors("\ruploading \(100 * done / all) %\u{1B}[K" + (done == all ? "\r\u{1B}[K" : ""))
  }

  private func settle(_ participation: Participation) async throws(CommandError) {
    do {
      try await participation.session.settle()
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: any Error) -> CommandError {
    switch error {
    case let reason as GroupSessionInvalidation: .sessionEnded(reason)
    case GroupSessionMessenger.SendError.invalidated(let reason): .sessionEnded(reason)
    default: .refused("\(error)")
    }
  }
}
