internal import FoundationEssentials
internal import Wire

/// Where a picture or a file lies on the board.
struct Placement: Equatable, Sendable {
  /// A picture that says no size is shown so large.
  static let defaultSide = 250.0
  private static let maximumSide = 100_000.0

  var middle: PlanePoint
  var width: Double
  var height: Double
  /// Its depth; nil when none was said.
  var z: UInt64?

  /// Reads metadata, or an `ImagePlacementMessage`; nil for what says no place.
  init?(_ payload: [UInt8]) {
    guard let members = MarkMessage.members(payload), let middle = MarkMessage.point(members["location"])
    else {
      return nil
    }
    self.middle = middle
    let sides = ["width", "height"].compactMap { members[$0].flatMap(MarkMessage.number) }
    let isSized = sides.count == 2 && sides.allSatisfy { $0 > 0 && $0 <= Self.maximumSide }
    (width, height) = isSized ? (sides[0], sides[1]) : (Self.defaultSide, Self.defaultSide)
    z = MarkMessage.depth(members)
  }

  /// A place for what says none: the same on every page.
  init(madeUpFor id: UUID) {
    let number = UInt32(id.uuidString.prefix(8), radix: 16) ?? 0
    middle = PlanePoint(x: 200 + 60 * Double(number % 8), y: 200 + 60 * Double((number >> 3) % 5))
    (width, height) = (Self.defaultSide, Self.defaultSide)
  }

  var box: PlaneBox {
    PlaneBox(
      left: middle.x - width / 2, top: middle.y - height / 2, right: middle.x + width / 2,
      bottom: middle.y + height / 2)
  }
}
