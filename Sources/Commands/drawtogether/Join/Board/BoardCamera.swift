/// Which part of the plane is seen, and how large.
struct BoardCamera: Equatable {
  /// More dots than this to a point of the plane make nothing clearer.
  static let closest = 2.0
  /// So much of the window is left free at each side.
  private static let margin = 0.04

  /// Dots to a point of the plane.
  private(set) var scale: Double
  private var middle: PlanePoint
  private let width: Double
  private let height: Double

  /// One that shows all of a box in a picture of so many dots.
  init(showing box: PlaneBox?, width: Int, height: Int) {
    (self.width, self.height) = (Double(width), Double(height))
    let box = box ?? PlaneBox(left: 0, top: 0, right: 0, bottom: 0)
    middle = PlanePoint(x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2)
    let room = 1 - 2 * Self.margin
    scale = min(
      Self.closest, room * self.width / max(box.width, 0.001), room * self.height / max(box.height, 0.001))
  }

  /// What is seen of the plane.
  var view: PlaneBox {
    PlaneBox(
      left: middle.x - width / 2 / scale, top: middle.y - height / 2 / scale,
      right: middle.x + width / 2 / scale, bottom: middle.y + height / 2 / scale)
  }

  /// Where a point is, in dots from the upper left.
  func callAsFunction(_ point: PlanePoint) -> PlanePoint {
    scale * (point - middle) + PlanePoint(x: width / 2, y: height / 2)
  }

  /// The camera for what is there now: the same as long as that is all seen and not small, so that the picture stands still.
  func following(_ box: PlaneBox?, width: Int, height: Int) -> BoardCamera {
    let fitting = BoardCamera(showing: box, width: width, height: height)
    guard let box, self.width == Double(width), self.height == Double(height), view.contains(box),
      fitting.scale <= 1.5 * scale
    else { return fitting }
    return self
  }
}
