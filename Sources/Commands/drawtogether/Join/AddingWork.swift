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
      try await send(message, GroupSessionMessenger(session: session), participation)
      try await settle(participation)
    }
  }

  /// An SVG's lines and words.
  func draw(
    _ file: String, at place: PlanePoint?, width: Double?, _ request: JoinRequest, _ link: URL
  ) async throws(JoinFailure) {
    let bytes = try await OwnThread.run("drawing") { () throws(JoinFailure) in
      let bytes = try InputFile.read(file, limit: MarkupReader.maximumBytes)
      // What is no drawing is told before anybody is bothered.
      _ = try Self.drawing(file, bytes, width, at: place ?? PlanePoint(x: 0, y: 0))
      return bytes
    }
    try await withSession(request, link) { participation throws(JoinFailure) in
      let corner = place ?? participation.freePlace()
      let drawing = try await OwnThread.run("drawing") { () throws(JoinFailure) in
        try Self.drawing(file, bytes, width, at: corner)
      }
      let messenger = GroupSessionMessenger(session: participation.session)
      var z = participation.board.nextZ
      for (index, item) in drawing.items.enumerated() {
        progress("drawing", index, drawing.items.count)
        switch item {
        case .words(let words): try await send(UpsertTextMessage(words, z: z), messenger, participation)
        case .line(let line):
          for stroke in UpsertStrokeMessage.strokes(line, z: z) {
            try await send(stroke, messenger, participation)
          }
        }
        z = min(MarkMessage.maximumDepth, z + 1)
      }
      progress("drawing", drawing.items.count, drawing.items.count)
      try await settle(participation)
      if !drawing.leftOut.isEmpty {
        command.tell("\(file): left out \(SVGError.words(drawing.leftOut)), which are no lines")
      }
    }
  }

  /// A picture or a file.
  func attach(
    _ file: String, at place: PlanePoint?, width: Double?, _ request: JoinRequest, _ link: URL
  ) async throws(JoinFailure) {
    let content = try await OwnThread.run("file") { () throws(JoinFailure) in try InputFile.data(file) }
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

  private nonisolated static func drawing(
    _ file: String, _ bytes: [UInt8], _ width: Double?, at place: PlanePoint
  ) throws(JoinFailure) -> SVGDrawing {
    do throws(SVGError) {
      return try SVGDrawing.read(bytes, width: width, at: place)
    } catch {
      throw .drawing(file == "-" ? "standard input" : file, error)
    }
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
    case .progress(_, let offset, let size?): progress("uploading", offset, size)
    default: break
    }
  }

  /// How far it is, for who looks.
  private func progress(_ what: String, _ done: Int, _ all: Int) {
    guard isatty(STDERR_FILENO) == 1, all > 0, done % max(1, all / 100) == 0 else { return }
    command.errors("\r\(what) \(100 * done / all) %\u{1B}[K" + (done == all ? "\r\u{1B}[K" : ""))
  }

  /// Sends one message; over the rate, once there is room again.
  private func send(
    _ message: some Codable, _ messenger: GroupSessionMessenger, _ participation: Participation
  ) async throws(JoinFailure) {
    while true {
      do {
        return try await messenger.send(message)
      } catch GroupSessionMessenger.SendError.rateLimited(let time) {
        try await wait(time)
      } catch GroupSessionMessenger.SendError.queueFull {
        try await wait(.milliseconds(200))
      } catch {
        throw failure(error)
      }
    }
  }

  private func wait(_ time: Duration) async throws(JoinFailure) {
    do {
      try await Task.sleep(for: time)
    } catch {
      throw .interrupted
    }
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
