internal import FoundationEssentials
internal import GroupActivities
internal import Glibc
internal import Platform

/// Puts something on the board, and returns when it is on the gateway's disk.
@MainActor
struct AddingWork {
  private static let textSize = 24.0
  /// As large as a picture is at most unless somebody says so, in points.
  private static let pictureSide = 400.0

  private let command: DrawTogetherCommand
  private let interruption: Interruption

  init(_ command: DrawTogetherCommand, _ interruption: Interruption) {
    (self.command, self.interruption) = (command, interruption)
  }

  /// Words, in the participant's own color.
  func say(_ text: String, at place: PlanePoint?, _ request: JoinRequest, _ link: URL)
    async throws(JoinFailure)
  {
    try await withSession(request, link) { participation throws(JoinFailure) in
      let session = participation.session
      let color = session.color(of: session.localParticipant).flatMap { RGB($0) } ?? RGB.palette[0]
      let corner = place ?? participation.freePlace()
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

  /// A picture or a file.
  func attach(
    _ file: String, at place: PlanePoint?, width: Double?, _ request: JoinRequest, _ link: URL
  ) async throws(JoinFailure) {
    let content = try await OwnThread.run("file") { () throws(JoinFailure) in try InputFile.read(file) }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let head = ImageHead(Array(content.prefix(InputFile.headBytes)))
    try await withSession(request, link) { participation throws(JoinFailure) in
      let metadata = placement(
        of: head, width, at: place ?? participation.freePlace(), participation.board.nextZ)
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

  /// In the proportions of the picture; `location` is its middle.
  private func placement(
    of head: ImageHead?, _ width: Double?, at corner: PlanePoint, _ z: UInt64
  ) -> PlacementMetadata {
    guard let head else {
      let middle = corner + 0.5 * PlanePoint(x: Placement.card.width, y: Placement.card.height)
      return PlacementMetadata(location: [middle.rounded.x, middle.rounded.y], z: z)
    }
    guard let size = head.size else {
      let middle = corner + 0.5 * PlanePoint(x: Placement.defaultSide, y: Placement.defaultSide)
      return PlacementMetadata(location: [middle.rounded.x, middle.rounded.y], z: z)
    }
    let natural = (width: Double(size.width), height: Double(size.height))
    let scale =
      width.map { $0 / natural.width } ?? min(1, Self.pictureSide / max(natural.width, natural.height))
    let shown = PlanePoint(x: max(1, scale * natural.width), y: max(1, scale * natural.height))
    let middle = (corner + 0.5 * shown).rounded
    return PlacementMetadata(
      location: [middle.x, middle.y], width: PlanePoint.rounded(shown.x), height: PlanePoint.rounded(shown.y),
      z: z)
  }

  /// Joins, does it, and leaves, however it ends.
  private func withSession(
    _ request: JoinRequest, _ link: URL, _ body: (Participation) async throws(JoinFailure) -> Void
  ) async throws(JoinFailure) {
    PageRetention.declare()
    let participation = try await Participation(request, link: link)
    let session = participation.session
    interruption.onInterrupt { await session.leaveAndWait() }
    do throws(JoinFailure) {
      try await participation.enter { told($0) }
      try await body(participation)
    } catch {
      await session.leaveAndWait()
      throw interruption.isInterrupted ? .interrupted : error
    }
    await session.leaveAndWait()
  }

  /// What somebody who waits should know.
  private func told(_ entry: GroupSessionEntry) {
    switch entry {
    case .trouble(let words), .notice(let words): command.tell(words)
    case .progress(_, let offset, let size?): progress(offset, size)
    default: break
    }
  }

  /// How far it is, for who looks.
  private func progress(_ done: Int, _ all: Int) {
    guard isatty(STDERR_FILENO) == 1, all > 0, done % max(1, all / 100) == 0 else { return }
    command.errors("\ruploading \(100 * done / all) %\u{1B}[K" + (done == all ? "\r\u{1B}[K" : ""))
  }

  private func settle(_ participation: Participation) async throws(JoinFailure) {
    do {
      try await participation.session.settle()
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: any Error) -> JoinFailure {
    switch error {
    case let reason as GroupSessionInvalidation: .ended(reason)
    case GroupSessionMessenger.SendError.invalidated(let reason): .ended(reason)
    default: .refused("\(error)")
    }
  }
}
