internal import FoundationEssentials
internal import GroupActivities

/// The message with which the page adds or changes a text.
struct UpsertTextMessage: Codable {
  var id: UUID
  var text: String
  var point: [Double]
  var size: Double
  var rgb: String
  var color: Int
  var z: UInt64

  /// Creates the message for a new text. `corner` is the upper left corner of the text.
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

/// The metadata of an attachment: its placement.
struct PlacementMetadata: Codable {
  /// The coordinates of the center: x and y.
  var location: [Double]
  var width: Double?
  var height: Double?
  var z: UInt64
}

/// The retention of the page's messages: the newest message with an id replaces the earlier ones.
enum PageRetention {
  static func declare() {
    GroupActivitiesGateway.retain(UpsertTextMessage.self, .replace, key: \UpsertTextMessage.id)
  }
}
