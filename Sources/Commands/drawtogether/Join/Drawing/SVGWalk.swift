/// Goes through an SVG's elements and collects what they draw.
struct SVGWalk {
  /// Uses of what uses something.
  static let maximumUses = 8
  /// Elements that are visited, what is used once for each use; long attributes count as several.
  static let maximumVisits = 1_000_000
  /// So many bytes of attributes count as one more.
  private static let bytesOfVisit = 64
  /// Widths that a page takes.
  static let widths = 0.5...200.0
  /// How wide an outline is of what is only filled, in points of the page.
  private static let outlineWidth = 1.5

  private var drawing = SVGDrawing()
  private var pointCount = 0
  private var visits = 0
  private let mostVisits: Int
  var sheet = SVGStyleSheet()
  private var byID: [String: MarkupElement] = [:]
  /// What percentages are of.
  var viewport: (width: Double, height: Double)

  /// What holds for an element and what is in it.
  struct Place {
    var map: PlaneTransform
    var style: SVGStyle
    var uses = 0
    /// Elements around it, what is used in its place.
    var depth = 0
  }

  /// All that a document draws.
  static func drawing(
    of root: MarkupElement, width: Double?, at origin: PlanePoint, maximumVisits: Int = maximumVisits
  ) throws(SVGError) -> SVGDrawing {
    let box = try Self.numbers("viewBox", of: root, count: 4)
    let natural = root["width"].flatMap { SVGLength.read($0, of: box?[2] ?? 100) }
    let high = root["height"].flatMap { SVGLength.read($0, of: box?[3] ?? 100) }
    let viewport = (box?[2] ?? natural ?? 100, box?[3] ?? high ?? 100)
    var walk = SVGWalk(viewport: viewport, mostVisits: maximumVisits)
    walk.note(root)
    // Without a box of its own it is as large as what is in it.
    let corner = PlanePoint(x: box?[0] ?? 0, y: box?[1] ?? 0)
    var scale = 1.0
    if let box, box[2] > 0, box[3] > 0 {
      let fitting = [natural.map { $0 / box[2] }, high.map { $0 / box[3] }].compactMap(\.self).filter {
        $0 > 0
      }
      scale = width.map { $0 / box[2] } ?? fitting.min() ?? 1
    } else if let width {
      var measuring = walk
      try measuring.children(of: root, Place(map: .identity, style: SVGStyle()))
      let whole = natural ?? measuring.drawing.bounds?.width ?? 0
      scale = whole > 0 ? width / whole : 1
    }
    let map = PlaneTransform.translation(origin.x, origin.y).after(.scale(scale, scale))
      .after(.translation(-corner.x, -corner.y))
    let style = SVGStyle().of(root, sheet: walk.sheet, diagonal: walk.diagonal)
    try walk.children(of: root, Place(map: map, style: style))
    guard !walk.drawing.items.isEmpty else { throw .nothing(walk.drawing.leftOut) }
    return walk.drawing
  }

  private init(viewport: (Double, Double), mostVisits: Int) {
    self.viewport = viewport
    self.mostVisits = mostVisits
  }

  /// What percentages are of that are of no direction (SVG 2, section 8.9).
  var diagonal: Double {
    ((viewport.width * viewport.width + viewport.height * viewport.height) / 2).squareRoot()
  }

  /// Remembers what others may refer to.
  private mutating func note(_ element: MarkupElement) {
    if let id = element["id"], byID[id] == nil { byID[id] = element }
    if element.name == "style" { sheet.add(element.text) }
    for child in element.children { note(child) }
  }

  private mutating func children(of element: MarkupElement, _ place: Place) throws(SVGError) {
    for child in element.children { try draw(child, place) }
  }

  /// Counts one more element: with uses of uses a short file could have more work than ever ends, and draw nothing.
  mutating func visit(_ element: MarkupElement) throws(SVGError) {
    let bytes =
      element.attributes.values.reduce(0) { $0 + $1.utf8.count }
      + element.texts.reduce(0) { $0 + $1.utf8.count }
    visits += 1 + bytes / Self.bytesOfVisit
    guard visits <= mostVisits else { throw .tooManyVisits(limit: mostVisits) }
  }

  private mutating func draw(_ element: MarkupElement, _ outer: Place) throws(SVGError) {
    try visit(element)
    var place = outer
    place.depth += 1
    guard place.depth <= MarkupReader.maximumDepth else {
      throw .nestedTooDeep(limit: MarkupReader.maximumDepth, line: element.line)
    }
    place.style = outer.style.of(element, sheet: sheet, diagonal: diagonal)
    guard !place.style.isLeftOut else { return }
    if let text = element["transform"] {
      guard let own = PlaneTransform.read(text) else { throw Self.fault("transform", element) }
      place.map = place.map.after(own)
    }
    switch element.name {
    case "g", "a": try children(of: element, place)
    case "switch": if let first = element.children.first { try draw(first, place) }
    case "svg": try nested(element, place)
    case "use": try use(element, place)
    case "text": try words(element, place)
    case "path", "line", "polyline", "polygon", "rect", "circle", "ellipse":
      if let path = try SVGShapes.path(of: element, in: viewport) { try paint(path, place, element.name) }
    case "image", "foreignObject", "video": drawing.leftOut[element.name, default: 0] += 1
    default: break  // what is only referred to, or is about the file
    }
  }

  /// An `<svg>` in the other, or a `<symbol>`: its box is fitted into its place.
  private mutating func nested(
    _ element: MarkupElement, _ outer: Place, size: (Double?, Double?) = (nil, nil)
  ) throws(SVGError) {
    var place = outer
    let length = { (name: String, whole: Double) in element[name].flatMap { SVGLength.read($0, of: whole) } }
    let isSymbol = element.name == "symbol"
    let x = isSymbol ? 0 : length("x", viewport.width) ?? 0
    let y = isSymbol ? 0 : length("y", viewport.height) ?? 0
    place.map = place.map.after(.translation(x, y))
    let before = viewport
    let width = size.0 ?? length("width", viewport.width) ?? viewport.width
    let height = size.1 ?? length("height", viewport.height) ?? viewport.height
    viewport = (width, height)
    if let box = try Self.numbers("viewBox", of: element, count: 4), box[2] > 0, box[3] > 0 {
      let scale = min(width / box[2], height / box[3])
      let middle = PlaneTransform.translation(width / 2, height / 2).after(.scale(scale, scale))
      place.map = place.map.after(middle).after(.translation(-box[0] - box[2] / 2, -box[1] - box[3] / 2))
      viewport = (box[2], box[3])
    }
    try children(of: element, place)
    viewport = before
  }

  private mutating func use(_ element: MarkupElement, _ outer: Place) throws(SVGError) {
    // What is in another file is never read.
    guard let link = element["href"], link.hasPrefix("#"), let used = byID[String(link.dropFirst())] else {
      drawing.leftOut["use", default: 0] += 1
      return
    }
    var place = outer
    place.uses += 1
    guard place.uses <= Self.maximumUses else {
      throw .usesTooDeep(limit: Self.maximumUses, line: element.line)
    }
    let length = { (name: String, whole: Double) in element[name].flatMap { SVGLength.read($0, of: whole) } }
    place.map = place.map.after(
      .translation(length("x", viewport.width) ?? 0, length("y", viewport.height) ?? 0))
    let size = (length("width", viewport.width), length("height", viewport.height))
    if used.name == "symbol" {
      place.style = place.style.of(used, sheet: sheet, diagonal: diagonal)
      try nested(used, place, size: size)
    } else {
      try draw(used, place)
    }
  }

  /// Draws a path's line, or what it is filled with as a line around it.
  private mutating func paint(_ path: PlanePath, _ place: Place, _ name: String) throws(SVGError) {
    let style = place.style
    guard style.isVisible else { return }
    let line = color(style.stroke, style.opacity * style.strokeOpacity * (style.strokeWidth > 0 ? 1 : 0))
    // Nothing is inside of a line.
    let area = name == "line" ? nil : color(style.fill, style.opacity * style.fillOpacity)
    guard let color = line ?? area else { return }
    let width = line == nil ? Self.outlineWidth : style.strokeWidth * place.map.scaling
    let room = SVGDrawing.maximumPoints - pointCount
    guard let lines = path.flattened(by: place.map, limit: room) else {
      throw .tooManyPoints(limit: SVGDrawing.maximumPoints)
    }
    for points in lines {
      pointCount += points.count
      guard points.allSatisfy(\.isOnPlane) else { throw .beyondPlane }
      let line = SVGDrawing.Line(
        points: points, color: color, width: min(Self.widths.upperBound, max(Self.widths.lowerBound, width)))
      try add(.line(line))
    }
  }

  mutating func add(_ item: SVGDrawing.Item) throws(SVGError) {
    guard drawing.items.count < SVGDrawing.maximumItems else {
      throw .tooManyItems(limit: SVGDrawing.maximumItems)
    }
    drawing.items.append(item)
  }

  /// The color of a paint; nil for none, and for what is hardly seen.
  func color(_ paint: SVGStyle.Paint, _ opacity: Double, depth: Int = 0) -> RGB? {
    switch paint {
    case .none: return nil
    case .color(let color): return color.alpha * opacity >= 0.05 ? color.color : nil
    case .reference(let id, let fallback):
      // A gradient is as its first color.
      guard depth < 4, let server = byID[id] else {
        return fallback.flatMap { self.color(.color($0), opacity) }
      }
      if let stop = server.children.first(where: { $0.name == "stop" }) {
        let declared = SVGStyleSheet.declarations(stop["style"] ?? "").last { $0.0 == "stop-color" }?.1
        let text = declared ?? stop["stop-color"] ?? "black"
        return SeeThroughColor(css: text).flatMap { self.color(.color($0), opacity) }
      }
      guard let link = server["href"], link.hasPrefix("#") else {
        return fallback.flatMap { self.color(.color($0), opacity) }
      }
      return color(.reference(String(link.dropFirst()), fallback: fallback), opacity, depth: depth + 1)
    }
  }

  /// So many numbers in an attribute; nil when it is missing.
  static func numbers(
    _ name: String, of element: MarkupElement, count: Int
  ) throws(SVGError) -> [Double]? {
    guard let text = element[name] else { return nil }
    var scanner = NumberScanner(text)
    var numbers: [Double] = []
    while let number = scanner.number() {
      numbers.append(number)
      scanner.skipSeparators()
    }
    guard numbers.count == count, scanner.isAtEnd else { throw fault(name, element) }
    return numbers
  }

  /// An attribute that cannot be read.
  static func fault(_ name: String, _ element: MarkupElement) -> SVGError {
    .attribute(name, of: element.name, value: element[name] ?? "", line: element.line)
  }
}
