import Combine
import Foundation

/// A stroke, which grows while it is drawn.
public class Stroke: ObservableObject, Identifiable, Codable {
  /// The colors of a stroke. The page uses the same number for each color.
  public enum Color: Int, Codable, CaseIterable, Sendable {
    case red, orange, yellow, green, mint, teal, cyan, indigo, purple, pink, brown
  }

  public let id: UUID
  public let color: Color
  @Published public var points: [CGPoint] = []

  public init(id: UUID = UUID(), color: Color) {
    self.id = id
    self.color = color
  }

  private enum CodingKeys: String, CodingKey {
    case id, color, points
  }

  public required init(from decoder: Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(UUID.self, forKey: .id)
    color = try values.decode(Color.self, forKey: .color)
    points = try values.decode([CGPoint].self, forKey: .points)
  }

  public func encode(to encoder: Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(color, forKey: .color)
    try values.encode(points, forKey: .points)
  }
}
