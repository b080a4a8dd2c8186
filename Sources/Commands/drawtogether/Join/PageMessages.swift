internal import FoundationEssentials
internal import GroupActivities

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
    GroupActivitiesGateway.retain(UpsertTextMessage.self, .replace, key: \UpsertTextMessage.id)
  }
}
