internal import FoundationEssentials
internal import Wire

/// Where a picture or a file lies on the board.
struct Placement: Equatable, Sendable {
  /// A picture that says no size is shown within a square so large.
  static let defaultSide = 250.0
  /// A file that is no picture is a card, whatever size was said.
  static let card = PlaneSize(width: 280, height: 76)
  private static let maximumSide = 100_000.0

  var middle: PlanePoint
  /// Nil when none was said.
  var size: PlaneSize?
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
    size = isSized ? PlaneSize(width: sides[0], height: sides[1]) : nil
    z = MarkMessage.depth(members)
  }

  /// A place for what says none: the same on every page.
  init(madeUpFor id: UUID) {
    let number = UInt32(id.uuidString.prefix(8), radix: 16) ?? 0
    middle = PlanePoint(x: 200 + 60 * Double(number % 8), y: 200 + 60 * Double((number >> 3) % 5))
  }

  /// The same place; what this one does not say is as another one has it.
  func completed(by other: Placement?) -> Placement {
    var placement = self
    placement.size = size ?? other?.size
    placement.z = z ?? other?.z
    return placement
  }

  /// What it covers.
  func box(isPicture: Bool) -> PlaneBox {
    let size = isPicture ? size ?? PlaneSize(width: Self.defaultSide, height: Self.defaultSide) : Self.card
    return PlaneBox(
      left: middle.x - size.width / 2, top: middle.y - size.height / 2, right: middle.x + size.width / 2,
      bottom: middle.y + size.height / 2)
  }
}
