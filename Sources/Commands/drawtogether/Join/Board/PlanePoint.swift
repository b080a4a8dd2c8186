/// A point of the canvas' plane, or of a drawing that is put on it; y goes down.
struct PlanePoint: Equatable, Hashable, Sendable {
  /// What is beyond is neither sent nor believed.
  static let reach = 1_000_000.0

  var x: Double
  var y: Double

  /// Whether it can be sent and drawn.
  var isOnPlane: Bool { abs(x) <= Self.reach && abs(y) <= Self.reach }

  /// As it is sent: in hundredths, within the plane.
  var rounded: PlanePoint { PlanePoint(x: Self.rounded(x), y: Self.rounded(y)) }

  /// A number of the plane as it is sent.
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

/// How large something is on the plane.
struct PlaneSize: Equatable, Sendable {
  var width: Double
  var height: Double
}

/// A rectangle of the plane, its sides along the axes.
struct PlaneBox: Equatable, Sendable {
  var left: Double
  var top: Double
  var right: Double
  var bottom: Double

  var width: Double { right - left }
  var height: Double { bottom - top }

  /// The box around both.
  func union(_ other: PlaneBox) -> PlaneBox {
    PlaneBox(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  /// The same with so much more at each side.
  func widened(by margin: Double) -> PlaneBox {
    PlaneBox(left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin)
  }

  /// Whether the other one is within.
  func contains(_ other: PlaneBox) -> Bool {
    left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom
  }

  /// The box around points; nil for none.
  static func around(_ points: some Sequence<PlanePoint>) -> PlaneBox? {
    var box: PlaneBox?
    for point in points {
      let one = PlaneBox(left: point.x, top: point.y, right: point.x, bottom: point.y)
      box = box?.union(one) ?? one
    }
    return box
  }
}
