/// The paths of SVG's basic shapes (SVG 2, section 10).
enum SVGShapes {
  /// How an `<ellipse>` or a `<rect>` with radii too large is drawn follows the rules for equivalent paths there.
  ///
  /// - Parameters:
  ///   - element: a path or a basic shape.
  ///   - viewport: what percentages are of.
  /// - Returns: nil for one without any extent, which draws nothing.
  /// - Throws: `SVGError` for what cannot be read.
  static func path(
    of element: MarkupElement, in viewport: (width: Double, height: Double)
  ) throws(SVGError) -> PlanePath? {
    let shape = Lengths(element: element, viewport: viewport)
    switch element.name {
    case "path":
      do throws(SVGPathData.Fault) {
        return try SVGPathData.read(element["d"] ?? "")
      } catch {
        throw .path(error, line: element.line)
      }
    case "line":
      var path = PlanePath()
      path.move(to: PlanePoint(x: try shape.x("x1") ?? 0, y: try shape.y("y1") ?? 0))
      path.line(to: PlanePoint(x: try shape.x("x2") ?? 0, y: try shape.y("y2") ?? 0))
      return path
    case "polyline", "polygon": return try polygon(element)
    case "rect": return try rectangle(shape)
    case "circle":
      guard let radius = try shape.length("r", of: shape.diagonal), radius > 0 else { return nil }
      return PlanePath.ellipse(try shape.middle(), radius, radius)
    default:
      let given = (try shape.x("rx"), try shape.y("ry"))
      guard let rx = given.0 ?? given.1, let ry = given.1 ?? given.0, rx > 0, ry > 0 else { return nil }
      return PlanePath.ellipse(try shape.middle(), rx, ry)
    }
  }

  private static func polygon(_ element: MarkupElement) throws(SVGError) -> PlanePath? {
    var scanner = NumberScanner(element["points"] ?? "")
    var path = PlanePath()
    scanner.skipSeparators()
    while let x = scanner.number() {
      scanner.skipSeparators()
      guard let y = scanner.number() else { throw SVGWalk.fault("points", element) }
      scanner.skipSeparators()
      let point = PlanePoint(x: x, y: y)
      if path.elements.isEmpty { path.move(to: point) } else { path.line(to: point) }
    }
    guard scanner.isAtEnd else { throw SVGWalk.fault("points", element) }
    if element.name == "polygon", !path.elements.isEmpty { path.close() }
    return path
  }

  private static func rectangle(_ shape: Lengths) throws(SVGError) -> PlanePath? {
    let (x, y) = (try shape.x("x") ?? 0, try shape.y("y") ?? 0)
    let (width, height) = (try shape.x("width") ?? 0, try shape.y("height") ?? 0)
    guard width > 0, height > 0 else { return nil }
    let given = (try shape.x("rx"), try shape.y("ry"))
    let rx = min(max(0, given.0 ?? given.1 ?? 0), width / 2)
    let ry = min(max(0, given.1 ?? given.0 ?? 0), height / 2)
    let radii = PlanePoint(x: rx, y: ry)
    var path = PlanePath()
    path.move(to: PlanePoint(x: x + rx, y: y))
    let corners = [
      (PlanePoint(x: x + width - rx, y: y), PlanePoint(x: x + width, y: y + ry)),
      (PlanePoint(x: x + width, y: y + height - ry), PlanePoint(x: x + width - rx, y: y + height)),
      (PlanePoint(x: x + rx, y: y + height), PlanePoint(x: x, y: y + height - ry)),
      (PlanePoint(x: x, y: y + ry), PlanePoint(x: x + rx, y: y)),
    ]
    for (before, behind) in corners {
      path.line(to: before)
      if rx > 0, ry > 0 {
        path.arc(radii: radii, degrees: 0, isLarge: false, isClockwise: true, to: behind)
      }
    }
    path.close()
    return path
  }

  /// The lengths of one element.
  private struct Lengths {
    let element: MarkupElement
    let viewport: (width: Double, height: Double)

    var diagonal: Double {
      ((viewport.width * viewport.width + viewport.height * viewport.height) / 2).squareRoot()
    }

    func x(_ name: String) throws(SVGError) -> Double? { try length(name, of: viewport.width) }
    func y(_ name: String) throws(SVGError) -> Double? { try length(name, of: viewport.height) }

    func middle() throws(SVGError) -> PlanePoint {
      PlanePoint(x: try x("cx") ?? 0, y: try y("cy") ?? 0)
    }

    func length(_ name: String, of whole: Double) throws(SVGError) -> Double? {
      guard let text = element[name], text != "auto" else { return nil }
      guard let value = SVGLength.read(text, of: whole) else { throw SVGWalk.fault(name, element) }
      return value
    }
  }
}
