import Foundation

/// One more point of a stroke, or its first.
struct UpsertStrokeMessage: Codable {
  let id: UUID
  let color: Stroke.Color
  let point: CGPoint
}

/// All that somebody has, for those who have just come.
struct CanvasMessage: Codable {
  let strokes: [Stroke]
  let pointCount: Int
}

/// What goes with an image: where its middle is.
struct ImageMetadataMessage: Codable {
  let location: CGPoint
}

/// An image on the canvas.
public struct PlacedImage: Identifiable, Sendable {
  public let id: UUID
  public let location: CGPoint
  public let data: Data
}
