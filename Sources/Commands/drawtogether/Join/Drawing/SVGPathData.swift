/// Reads the `d` of a path (SVG 2, section 9.3): every command, absolute and relative.
struct SVGPathData {
  /// What is wrong with it: where, and what stands there.
  struct Fault: Error, Equatable, CustomStringConvertible {
    /// From 1 on.
    let character: Int
    let found: String
    let expected: String

    var description: String { "the path has \(found) at character \(character), where it needs \(expected)" }
  }

  private var scanner: NumberScanner
  private var path = PlanePath()
  /// The last control point, if the last command was such a curve: a smooth one goes on from there.
  private var cubicControl: PlanePoint?
  private var quadraticControl: PlanePoint?

  private init(_ text: String) {
    scanner = NumberScanner(text)
  }

  /// Reads all of it. What is empty is a path without anything.
  static func read(_ text: String) throws(Fault) -> PlanePath {
    var reader = SVGPathData(text)
    try reader.read()
    return reader.path
  }

  private mutating func read() throws(Fault) {
    scanner.skipSpace()
    var isFirst = true
    while let letter = scanner.next {
      let command = letter | 0x20
      guard "mlhvcsqtaz".utf8.contains(command) else { throw fault("a command") }
      guard !isFirst || command == UInt8(ascii: "m") else { throw fault("M, to begin with") }
      isFirst = false
      scanner.skipByte()
      try read(command, isRelative: letter == command)
      scanner.skipSpace()
    }
  }

  /// A command and as many sets of numbers as follow it.
  private mutating func read(_ command: UInt8, isRelative: Bool) throws(Fault) {
    if command == UInt8(ascii: "z") {
      path.close()
      (cubicControl, quadraticControl) = (nil, nil)
      return
    }
    var isFirst = true
    repeat {
      let origin = isRelative ? path.current : PlanePoint(x: 0, y: 0)
      // Further points behind a move are lines.
      let isMove = command == UInt8(ascii: "m") && isFirst
      try draw(isMove ? command : command == UInt8(ascii: "m") ? UInt8(ascii: "l") : command, origin)
      isFirst = false
      scanner.skipSeparators()
    } while hasNumber
  }

  private var hasNumber: Bool {
    scanner.next.map { "+-.0123456789".utf8.contains($0) } ?? false
  }

  private mutating func draw(_ command: UInt8, _ origin: PlanePoint) throws(Fault) {
    let current = path.current
    var (cubic, quadratic): (PlanePoint?, PlanePoint?)
    switch command {
    case UInt8(ascii: "m"): path.move(to: try point(origin))
    case UInt8(ascii: "l"): path.line(to: try point(origin))
    case UInt8(ascii: "h"): path.line(to: PlanePoint(x: origin.x + (try number()), y: current.y))
    case UInt8(ascii: "v"): path.line(to: PlanePoint(x: current.x, y: origin.y + (try number())))
    case UInt8(ascii: "c"), UInt8(ascii: "s"):
      let isSmooth = command == UInt8(ascii: "s")
      let first = isSmooth ? Self.mirrored(cubicControl, at: current) : try point(origin)
      let second = try point(origin)
      cubic = second
      path.curve(first, second, to: try point(origin))
    case UInt8(ascii: "q"), UInt8(ascii: "t"):
      let isSmooth = command == UInt8(ascii: "t")
      let control = isSmooth ? Self.mirrored(quadraticControl, at: current) : try point(origin)
      quadratic = control
      path.curve(control, to: try point(origin))
    default:
      let radii = PlanePoint(x: try number(), y: try number())
      let degrees = try number()
      let (isLarge, isClockwise) = (try flag(), try flag())
      path.arc(
        radii: radii, degrees: degrees, isLarge: isLarge, isClockwise: isClockwise, to: try point(origin))
    }
    (cubicControl, quadraticControl) = (cubic, quadratic)
  }

  private static func mirrored(_ control: PlanePoint?, at point: PlanePoint) -> PlanePoint {
    control.map { 2 * point - $0 } ?? point
  }

  private mutating func point(_ origin: PlanePoint) throws(Fault) -> PlanePoint {
    let x = try number()
    return PlanePoint(x: origin.x + x, y: origin.y + (try number()))
  }

  private mutating func number() throws(Fault) -> Double {
    scanner.skipSeparators()
    guard let number = scanner.number() else { throw fault("a number") }
    return number
  }

  private mutating func flag() throws(Fault) -> Bool {
    scanner.skipSeparators()
    guard let flag = scanner.flag() else { throw fault("0 or 1") }
    return flag
  }

  private func fault(_ expected: String) -> Fault {
    Fault(character: scanner.position + 1, found: scanner.nextShown, expected: expected)
  }
}
