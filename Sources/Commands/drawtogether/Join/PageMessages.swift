internal import FoundationEssentials
internal import GroupActivities

/// A stroke as the page reads it, whole.
struct UpsertStrokeMessage: Codable {
  /// More points are told in several strokes: so many stay within 256 KiB, whatever their numbers.
  static let maximumPoints = 8000

  var id: UUID
  var color: Int
  var point: [Double]
  var points: [[Double]]
  var width: Double
  var tool: String
  var rgb: String
  var z: UInt64

  /// A line of straight pieces: the page draws a shape as it is, where it would smooth what a hand drew.
  init(_ points: ArraySlice<PlanePoint>, color: RGB, width: Double, z: UInt64) {
    id = UUID()
    self.color = color.nearestOfPalette
    self.points = points.map { [$0.rounded.x, $0.rounded.y] }
    point = self.points.last ?? [0, 0]
    self.width = PlanePoint.rounded(width)
    tool = "line"
    rgb = color.description
    self.z = z
  }

  /// A line in as many strokes as it needs, each beginning where the one before ended.
  static func strokes(_ line: SVGDrawing.Line, z: UInt64) -> [UpsertStrokeMessage] {
    let points = line.points
    return stride(from: 0, to: max(1, points.count - 1), by: maximumPoints - 1).map { start in
      UpsertStrokeMessage(
        points[start..<min(points.count, start + maximumPoints)], color: line.color, width: line.width, z: z)
    }
  }
}

/// A text as the page reads it.
struct UpsertTextMessage: Codable {
  var id: UUID
  var text: String
  var point: [Double]
  var size: Double
  var rgb: String
  var color: Int
  var z: UInt64

  /// Words with their upper left corner.
  init(_ text: String, at corner: PlanePoint, size: Double, color: RGB, z: UInt64) {
    id = UUID()
    self.text = TextMark.clean(text)
    point = [corner.rounded.x, corner.rounded.y]
    self.size = PlanePoint.rounded(min(TextMark.sizes.upperBound, max(TextMark.sizes.lowerBound, size)))
    rgb = color.description
    self.color = color.nearestOfPalette
    self.z = z
  }

  /// Words of a drawing, which know where their letters stand.
  init(_ words: SVGDrawing.Words, z: UInt64) {
    let corner = words.baseline - PlanePoint(x: 0, y: TextMark.baseline * words.size)
    self.init(words.text, at: corner, size: words.size, color: words.color, z: z)
  }
}

/// Where a picture or a file lies, as its metadata.
struct PlacementMetadata: Codable {
  /// The middle.
  var location: [Double]
  var width: Double?
  var height: Double?
  var z: UInt64
}

/// How the page's messages are kept: whole, the newest under its id.
enum PageRetention {
  static func declare() {
    GroupActivitiesGateway.retain(UpsertStrokeMessage.self, .replace, key: \UpsertStrokeMessage.id)
    GroupActivitiesGateway.retain(UpsertTextMessage.self, .replace, key: \UpsertTextMessage.id)
  }
}
