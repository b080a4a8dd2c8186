/// A point of the canvas; y points down.
struct PlanePoint: Equatable, Hashable, Sendable {
  /// The maximum absolute value of a coordinate. A larger coordinate is never sent, and a received point with a larger coordinate
  /// is ignored.
  static let reach = 1_000_000.0

  var x: Double
  var y: Double

  /// True if the point is within the plane.
  var isOnPlane: Bool { abs(x) <= Self.reach && abs(y) <= Self.reach }

  /// The point as it is sent: rounded to hundredths, within the plane.
  var rounded: PlanePoint { PlanePoint(x: Self.rounded(x), y: Self.rounded(y)) }

  /// Returns a coordinate as it is sent.
  static func rounded(_ value: Double) -> Double {
    (min(reach, max(-reach, value)) * 100).rounded() / 100
  }

  static func + (left: PlanePoint, right: PlanePoint) -> PlanePoint {
    PlanePoint(x: left.x + right.x, y: left.y + right.y)
  }

  static func - (left: PlanePoint, right: PlanePoint) -> PlanePoint {
    PlanePoint(x: left.x - right.x, y: left.y - right.y)
  }

  static func * (factor: Double, point: PlanePoint) -> PlanePoint {
    PlanePoint(x: factor * point.x, y: factor * point.y)
  }
}

/// A size on the plane.
struct PlaneSize: Equatable, Sendable {
  var width: Double
  var height: Double
}

/// An axis-aligned rectangle of the plane.
struct PlaneBox: Equatable, Sendable {
  var left: Double
  var top: Double
  var right: Double
  var bottom: Double

  var width: Double { right - left }
  var height: Double { bottom - top }

  /// Returns the bounding box of this box and another.
  func union(_ other: PlaneBox) -> PlaneBox {
    PlaneBox(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  /// Returns the box, extended by a margin at each side.
  func widened(by margin: Double) -> PlaneBox {
    PlaneBox(left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin)
  }

  /// Returns true if the other box is inside this box.
  func contains(_ other: PlaneBox) -> Bool {
    left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom
  }

  /// Returns the bounding box of points; nil without points.
  static func around(_ points: some Sequence<PlanePoint>) -> PlaneBox? {
    var box: PlaneBox?
    for point in points {
      let one = PlaneBox(left: point.x, top: point.y, right: point.x, bottom: point.y)
      box = box?.union(one) ?? one
    }
    return box
  }
}
