internal import Glibc

/// Lines and curves, not yet flattened, so that they can be as fine as they are large in the end.
struct PlanePath: Equatable, Sendable {
  /// A piece of it.
  enum Element: Equatable, Sendable {
    case move(PlanePoint)
    case line(PlanePoint)
    case curve(PlanePoint, PlanePoint, PlanePoint)
    case close
  }

  private(set) var elements: [Element] = []
  /// Where the pen is.
  private(set) var current = PlanePoint(x: 0, y: 0)
  /// Where the subpath began.
  private(set) var start = PlanePoint(x: 0, y: 0)

  /// Goes to a point without a line.
  mutating func move(to point: PlanePoint) {
    elements.append(.move(point))
    (current, start) = (point, point)
  }

  mutating func line(to point: PlanePoint) {
    elements.append(.line(point))
    current = point
  }

  /// A cubic Bézier curve.
  mutating func curve(_ first: PlanePoint, _ second: PlanePoint, to point: PlanePoint) {
    elements.append(.curve(first, second, point))
    current = point
  }

  /// A quadratic one, as the cubic one that it is.
  mutating func curve(_ control: PlanePoint, to point: PlanePoint) {
    let first = current + 2.0 / 3 * (control - current)
    let second = point + 2.0 / 3 * (control - point)
    curve(first, second, to: point)
  }

  /// Back to where the subpath began.
  mutating func close() {
    elements.append(.close)
    current = start
  }

  /// An arc of an ellipse (SVG 2, appendix B.2), in curves of a quarter of it at most: off by less than 0.03 % of its radius.
  mutating func arc(
    radii: PlanePoint, degrees: Double, isLarge: Bool, isClockwise: Bool, to end: PlanePoint
  ) {
    var (rx, ry) = (abs(radii.x), abs(radii.y))
    guard end != current else { return }
    guard rx > 0, ry > 0 else { return line(to: end) }
    let turn = PlaneTransform.rotation(degrees: degrees)
    let back = PlaneTransform.rotation(degrees: -degrees)
    let half = back(0.5 * (current - end))
    let needed = (half.x / rx) * (half.x / rx) + (half.y / ry) * (half.y / ry)
    if needed > 1 {
      rx *= needed.squareRoot()
      ry *= needed.squareRoot()
    }
    let ratio = max(0, 1 / min(1, max(needed, .leastNormalMagnitude)) - 1)
    let factor = (needed > 1 ? 0 : ratio.squareRoot()) * (isLarge == isClockwise ? -1 : 1)
    let middle = PlanePoint(x: factor * rx * half.y / ry, y: -factor * ry * half.x / rx)
    let from = atan2((half.y - middle.y) / ry, (half.x - middle.x) / rx)
    var sweep = atan2((-half.y - middle.y) / ry, (-half.x - middle.x) / rx) - from
    if isClockwise, sweep < 0 { sweep += 2 * .pi }
    if !isClockwise, sweep > 0 { sweep -= 2 * .pi }
    // Of an ellipse that no number holds, as of one without a radius, the line is what is left.
    guard rx.isFinite, ry.isFinite, needed.isFinite, sweep.isFinite else { return line(to: end) }
    let center = turn(middle) + 0.5 * (current + end)
    let map = PlaneTransform.translation(center.x, center.y).after(turn).after(.scale(rx, ry))
    arc(from: from, sweep: sweep, of: map, to: end)
  }

  /// An arc of what a map makes of the unit circle.
  private mutating func arc(from: Double, sweep: Double, of map: PlaneTransform, to end: PlanePoint) {
    let count = max(1, Int((abs(sweep) / (.pi / 2) - 1e-9).rounded(.up)))
    let step = sweep / Double(count)
    let handle = 4.0 / 3 * tan(step / 4)
    for piece in 0..<count {
      let (angle, next) = (from + Double(piece) * step, from + Double(piece + 1) * step)
      let first = PlanePoint(x: cos(angle) - handle * sin(angle), y: sin(angle) + handle * cos(angle))
      let second = PlanePoint(x: cos(next) + handle * sin(next), y: sin(next) - handle * cos(next))
      let point = piece == count - 1 ? end : map(PlanePoint(x: cos(next), y: sin(next)))
      curve(map(first), map(second), to: point)
    }
  }

  /// An ellipse, begun at its right and drawn clockwise.
  static func ellipse(_ middle: PlanePoint, _ rx: Double, _ ry: Double) -> PlanePath {
    var path = PlanePath()
    path.move(to: PlanePoint(x: middle.x + rx, y: middle.y))
    let map = PlaneTransform.translation(middle.x, middle.y).after(.scale(rx, ry))
    path.arc(from: 0, sweep: 2 * .pi, of: map, to: path.start)
    path.close()
    return path
  }
}

extension PlanePath {
  /// How far flattened lines may be from the curve, in points of the plane: finer than what a screen shows.
  static let flatness = 0.1
  private static let maximumPieces = 1000.0

  /// The lines that it is once mapped, a list for each subpath; points of no way between them are left out.
  ///
  /// - Parameters:
  ///   - map: what is done to it before it is flattened.
  ///   - limit: how many points there may be in all.
  /// - Returns: nil for more points than that. What no `Double` holds is at a point that is not on the plane.
  func flattened(by map: PlaneTransform, limit: Int) -> [[PlanePoint]]? {
    var lines: [[PlanePoint]] = []
    var line: [PlanePoint] = []
    var count = 0
    for element in elements {
      switch element {
      case .move(let point):
        if line.count > 1 { lines.append(line) }
        count += line.count
        line = [map(point)]
      case .line(let point):
        Self.append(map(point), to: &line, keepsFirst: true)
      case .curve(let first, let second, let end):
        guard let from = line.last else { continue }
        Self.flatten(from, map(first), map(second), map(end), to: &line)
      case .close:
        guard let first = line.first else { continue }
        Self.append(first, to: &line, keepsFirst: true)
        if line.count > 1 { lines.append(line) }
        count += line.count
        line = [first]
      }
      guard count + line.count <= limit else { return nil }
    }
    if line.count > 1 { lines.append(line) }
    return lines.reduce(0) { $0 + $1.count } <= limit ? lines : nil
  }

  /// A line to where it is already is a dot, and stays one.
  private static func append(_ point: PlanePoint, to line: inout [PlanePoint], keepsFirst: Bool = false) {
    if line.last == point, !(keepsFirst && line.count == 1) { return }
    line.append(point)
  }

  private static func flatten(
    _ from: PlanePoint, _ first: PlanePoint, _ second: PlanePoint, _ end: PlanePoint,
    to line: inout [PlanePoint]
  ) {
    // A curve is within an eighth of its second derivative from its chord, and that is within six of these.
    let bend = max((from - 2 * first + second).length, (first - 2 * second + end).length)
    let pieces = (0.75 * bend / flatness).squareRoot().rounded(.up)
    let count = pieces.isFinite ? Int(min(maximumPieces, max(1, pieces))) : 1
    for piece in 1...count {
      let t = Double(piece) / Double(count)
      let u = 1 - t
      let near = u * u * u * from + 3 * u * u * t * first
      append(piece == count ? end : near + 3 * u * t * t * second + t * t * t * end, to: &line)
    }
  }
}
