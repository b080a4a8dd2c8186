import Combine
import Foundation
import GroupActivities

/// The canvas, alone or in a session.
@MainActor
public class Canvas: ObservableObject {
  @Published public private(set) var strokes: [Stroke] = []
  @Published public private(set) var activeStroke: Stroke?
  @Published public private(set) var images: [PlacedImage] = []
  @Published public private(set) var groupSession: GroupSession<DrawTogether>?
  public let strokeColor: Stroke.Color

  private var messenger: GroupSessionMessenger?
  private var journal: GroupSessionJournal?
  private var subscriptions = Set<AnyCancellable>()
  private var tasks = Set<Task<Void, Never>>()

  public init(strokeColor: Stroke.Color = .red) {
    self.strokeColor = strokeColor
  }

  /// The number of points in the drawing. A received drawing replaces this drawing only if it has more points.
  public var pointCount: Int {
    strokes.reduce(0) { $0 + $1.points.count }
  }

  // MARK: Drawing

  public func addPointToActiveStroke(_ point: CGPoint) {
    let stroke = activeStroke ?? Stroke(color: strokeColor)
    if activeStroke == nil { activeStroke = stroke }
    stroke.points.append(point)

    guard let messenger = messenger else { return }
    let message = UpsertStrokeMessage(id: stroke.id, color: stroke.color, point: point)
    Task {
      try? await messenger.send(message)
    }
  }

  public func finishStroke() {
    guard let finished = activeStroke else { return }
    strokes.append(finished)
    activeStroke = nil
  }

  public func placeImage(_ data: Data, at location: CGPoint) {
    guard let journal = journal else { return }
    Task {
      try await journal.add(data, metadata: ImageMetadataMessage(location: location))
    }
  }

  // MARK: Sessions

  /// Joins each session that is offered, until the task is cancelled.
  public func joinSessions() async {
    for await session in DrawTogether.sessions() {
      configureGroupSession(session)
    }
  }

  public func startSharing() {
    Task {
      do {
        _ = try await DrawTogether().activate()
      } catch {
        print("Failed to activate DrawTogether activity: \(error)")
      }
    }
  }

  /// Empties the canvas. In a session, also starts a new session, which empties the canvas of all participants.
  public func reset() {
    strokes = []
    images = []

    messenger = nil
    journal = nil
    tasks.forEach { $0.cancel() }
    tasks = []
    subscriptions = []
    if groupSession != nil {
      groupSession?.leave()
      groupSession = nil
      startSharing()
    }
  }

  public func configureGroupSession(_ groupSession: GroupSession<DrawTogether>) {
    strokes = []

    self.groupSession = groupSession
    let messenger = GroupSessionMessenger(session: groupSession)
    self.messenger = messenger
    let journal = GroupSessionJournal(session: groupSession)
    self.journal = journal

    groupSession.$state
      .sink { state in
        if case .invalidated = state {
          self.groupSession = nil
          self.reset()
        }
      }
      .store(in: &subscriptions)

    // The sink receives the new set before the property `activeParticipants` changes, so the property still lacks the newcomers.
    groupSession.$activeParticipants
      .sink { newValue in
        let newParticipants = newValue.subtracting(groupSession.activeParticipants)
        Task {
          let message = CanvasMessage(strokes: self.strokes, pointCount: self.pointCount)
          try? await messenger.send(message, to: .only(newParticipants))
        }
      }
      .store(in: &subscriptions)

    var task = Task {
      for await (message, _) in messenger.messages(of: UpsertStrokeMessage.self) {
        handle(message)
      }
    }
    tasks.insert(task)

    task = Task {
      for await (message, _) in messenger.messages(of: CanvasMessage.self) {
        handle(message)
      }
    }
    tasks.insert(task)

    task = Task {
      for await attachments in journal.attachments {
        await handle(attachments)
      }
    }
    tasks.insert(task)

    groupSession.join()
  }

  // MARK: Received messages

  private func handle(_ message: UpsertStrokeMessage) {
    if let known = strokes.first(where: { $0.id == message.id }) {
      known.points.append(message.point)
    } else {
      let stroke = Stroke(id: message.id, color: message.color)
      stroke.points.append(message.point)
      strokes.append(stroke)
    }
  }

  private func handle(_ message: CanvasMessage) {
    guard message.pointCount > pointCount else { return }
    strokes = message.strokes
  }

  private func handle(_ attachments: GroupSessionJournal.Attachments.Element) async {
    images = await withTaskGroup(of: PlacedImage?.self) { group in
      for attachment in attachments {
        group.addTask {
          guard
            let metadata = try? await attachment.loadMetadata(of: ImageMetadataMessage.self),
            let data = try? await attachment.load(Data.self)
          else { return nil }
          return PlacedImage(id: attachment.id, location: metadata.location, data: data)
        }
      }
      var images: [PlacedImage] = []
      for await image in group {
        if let image { images.append(image) }
      }
      return images
    }
  }
}
