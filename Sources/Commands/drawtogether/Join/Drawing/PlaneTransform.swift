internal import Glibc

/// An affine map of the plane, as SVG writes it: x' = a x + c y + e, y' = b x + d y + f (SVG 2, section 8.5).
struct PlaneTransform: Equatable, Sendable {
  var a = 1.0
  var b = 0.0
  var c = 0.0
  var d = 1.0
  var e = 0.0
  var f = 0.0

  /// Leaves everything where it is.
  static let identity = PlaneTransform()

  static func translation(_ x: Double, _ y: Double) -> PlaneTransform { PlaneTransform(e: x, f: y) }
  static func scale(_ x: Double, _ y: Double) -> PlaneTransform { PlaneTransform(a: x, d: y) }

  /// Turns clockwise, for y goes down.
  static func rotation(degrees: Double) -> PlaneTransform {
    let angle = degrees * .pi / 180
    return PlaneTransform(a: cos(angle), b: sin(angle), c: -sin(angle), d: cos(angle))
  }

  /// Where a point goes.
  func callAsFunction(_ point: PlanePoint) -> PlanePoint {
    PlanePoint(x: a * point.x + c * point.y + e, y: b * point.x + d * point.y + f)
  }

  /// The map that does `inner` first.
  func after(_ inner: PlaneTransform) -> PlaneTransform {
    PlaneTransform(
      a: a * inner.a + c * inner.b, b: b * inner.a + d * inner.b, c: a * inner.c + c * inner.d,
      d: b * inner.c + d * inner.d, e: a * inner.e + c * inner.f + e, f: b * inner.e + d * inner.f + f)
  }

  /// How much longer lines get, on the average of all directions.
  var scaling: Double { abs(a * d - b * c).squareRoot() }
}

extension PlaneTransform {
  /// Reads the value of a `transform`: a list of `matrix`, `translate`, `scale`, `rotate`, `skewX` and `skewY`.
  ///
  /// - Returns: nil for what is no such list.
  static func read(_ text: String) -> PlaneTransform? {
    var scanner = NumberScanner(text)
    var result = identity
    scanner.skipSeparators()
    while !scanner.isAtEnd {
      guard let name = scanner.word(), scanner.skip(UInt8(ascii: "(")) else { return nil }
      var values: [Double] = []
      while !scanner.skip(UInt8(ascii: ")")) {
        guard values.count < 6, let value = scanner.number() else { return nil }
        values.append(value)
        scanner.skipSeparators()
      }
      guard let one = make(name, values) else { return nil }
      result = result.after(one)
      scanner.skipSeparators()
    }
    return result
  }

  private static func make(_ name: String, _ values: [Double]) -> PlaneTransform? {
    switch (name, values.count) {
    case ("matrix", 6):
      PlaneTransform(a: values[0], b: values[1], c: values[2], d: values[3], e: values[4], f: values[5])
    case ("translate", 1): translation(values[0], 0)
    case ("translate", 2): translation(values[0], values[1])
    case ("scale", 1): scale(values[0], values[0])
    case ("scale", 2): scale(values[0], values[1])
    case ("rotate", 1): rotation(degrees: values[0])
    case ("rotate", 3):
      translation(values[1], values[2]).after(rotation(degrees: values[0]))
        .after(translation(-values[1], -values[2]))
    case ("skewX", 1): PlaneTransform(c: tan(values[0] * .pi / 180))
    case ("skewY", 1): PlaneTransform(b: tan(values[0] * .pi / 180))
    default: nil
    }
  }
}
