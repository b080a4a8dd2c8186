/// The visible part of the plane and its scale.
struct BoardCamera: Equatable {
  /// The maximum scale in dots per point; more dots add no detail.
  static let maximumScale = 2.0
  /// The free margin at each side, as a fraction of the window.
  private static let margin = 0.04

  /// The scale in dots per point of the plane.
  private(set) var scale: Double
  private var center: PlanePoint
  private let width: Double
  private let height: Double

  /// Creates a camera that shows a whole box in a picture of `width` × `height` dots.
  init(showing box: PlaneBox?, width: Int, height: Int) {
    (self.width, self.height) = (Double(width), Double(height))
    let box = box ?? PlaneBox(left: 0, top: 0, right: 0, bottom: 0)
    center = PlanePoint(x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2)
    let room = 1 - 2 * Self.margin
    scale = min(
      Self.maximumScale, room * self.width / max(box.width, 0.001),
      room * self.height / max(box.height, 0.001))
  }

  /// The visible part of the plane.
  var view: PlaneBox {
    PlaneBox(
      left: center.x - width / 2 / scale, top: center.y - height / 2 / scale,
      right: center.x + width / 2 / scale, bottom: center.y + height / 2 / scale)
  }

  /// Returns the position of a point, in dots from the upper left corner.
  func callAsFunction(_ point: PlanePoint) -> PlanePoint {
    scale * (point - center) + PlanePoint(x: width / 2, y: height / 2)
  }

  /// Returns the camera for a new bounding box. Returns this camera unchanged, so that the picture does not move, if the whole
  /// box is visible and not too small.
  func following(_ box: PlaneBox?, width: Int, height: Int) -> BoardCamera {
    let fitting = BoardCamera(showing: box, width: width, height: height)
    guard let box, self.width == Double(width), self.height == Double(height), view.contains(box),
      fitting.scale <= 1.5 * scale
    else { return fitting }
    return self
  }
}
