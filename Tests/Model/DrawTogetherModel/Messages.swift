import Foundation

/// The first or the next point of a stroke.
struct UpsertStrokeMessage: Codable {
  let id: UUID
  let color: Stroke.Color
  let point: CGPoint
}

/// All strokes of a participant, for newcomers.
struct CanvasMessage: Codable {
  let strokes: [Stroke]
  let pointCount: Int
}

/// The metadata of an image: the location of its center.
struct ImageMetadataMessage: Codable {
  let location: CGPoint
}

/// An image on the canvas.
public struct PlacedImage: Identifiable, Sendable {
  public let id: UUID
  public let location: CGPoint
  public let data: Data
}
