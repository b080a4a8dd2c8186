internal import FoundationEssentials
internal import Wire

/// The placement of a picture or a file on the board.
struct Placement: Equatable, Sendable {
  /// The side of the square for a picture without a size.
  static let defaultSide = 250.0
  /// The size of the card for a file that is not a picture.
  static let card = PlaneSize(width: 280, height: 76)
  private static let maximumSide = 100_000.0

  var center: PlanePoint
  /// The size; nil if none was set.
  var size: PlaneSize?
  /// The depth; nil if none was set.
  var z: UInt64?

  /// Parses the placement in the metadata of an attachment, or in the payload of an `ImagePlacementMessage`. Returns nil if the
  /// payload has no location.
  init?(_ payload: [UInt8]) {
    guard let members = MarkMessage.members(payload), let center = MarkMessage.point(members["location"])
    else {
      return nil
    }
    self.center = center
    let sides = ["width", "height"].compactMap { members[$0].flatMap(MarkMessage.number) }
    let isSized = sides.count == 2 && sides.allSatisfy { $0 > 0 && $0 <= Self.maximumSide }
    size = isSized ? PlaneSize(width: sides[0], height: sides[1]) : nil
    z = MarkMessage.depth(members)
  }

  /// Creates the fallback placement of an attachment, which all clients derive from the id in the same way.
  init(fallbackFor id: UUID) {
    let number = UInt32(id.uuidString.prefix(8), radix: 16) ?? 0
    center = PlanePoint(x: 200 + 60 * Double(number % 8), y: 200 + 60 * Double((number >> 3) % 5))
  }

  /// Returns this placement, with missing values from another one.
  func completed(by other: Placement?) -> Placement {
    var placement = self
    placement.size = size ?? other?.size
    placement.z = z ?? other?.z
    return placement
  }

  /// Returns the bounding box.
  func box(isPicture: Bool) -> PlaneBox {
    let size = isPicture ? size ?? PlaneSize(width: Self.defaultSide, height: Self.defaultSide) : Self.card
    return PlaneBox(
      left: center.x - size.width / 2, top: center.y - size.height / 2, right: center.x + size.width / 2,
      bottom: center.y + size.height / 2)
  }
}
