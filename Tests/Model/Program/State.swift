import DrawTogetherModel
import Foundation
import GroupActivities

/// The state of a model, written as a line of JSON.
struct State: Codable, Equatable {
  struct Line: Codable, Equatable {
    let id: UUID
    let color: Int
    let points: [CGPoint]
  }

  struct Image: Codable, Equatable {
    let id: UUID
    let location: CGPoint
    let data: Data
  }

  let link: String?
  let isJoined: Bool
  let participants: Int
  let strokes: [Line]
  let active: Line?
  let images: [Image]

  @MainActor init(of canvas: Canvas) {
    link = canvas.groupSession?.link.absoluteString
    isJoined = canvas.groupSession?.state == .joined
    participants = canvas.groupSession?.activeParticipants.count ?? 0
    strokes = canvas.strokes.map(Line.init)
    active = canvas.activeStroke.map(Line.init)
    images = canvas.images.map { Image(id: $0.id, location: $0.location, data: $0.data) }
  }
}

extension State.Line {
  init(_ stroke: Stroke) {
    self.init(id: stroke.id, color: stroke.color.rawValue, points: stroke.points)
  }
}
