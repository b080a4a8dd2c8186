/// How an element is painted, as far as lines show it. Children begin with what their parent has.
struct SVGStyle: Equatable, Sendable {
  /// What an area or a line is painted with.
  enum Paint: Equatable, Sendable {
    case none
    case color(SeeThroughColor)
    /// What a gradient or a pattern of that id is; and what else, where there is none.
    case reference(String, fallback: SeeThroughColor?)
  }

  /// SVG 2, section 13.2: what nothing was said about is filled in black.
  var fill = Paint.color(SeeThroughColor(color: RGB(0), alpha: 1))
  var stroke = Paint.none
  var strokeWidth = 1.0
  var fillOpacity = 1.0
  var strokeOpacity = 1.0
  var color = SeeThroughColor(color: RGB(0), alpha: 1)
  var isVisible = true
  /// Of the element and all around it.
  var opacity = 1.0
  /// `display: none`: with all that is in it.
  var isLeftOut = false
  var fontSize = 16.0
  /// Which part of a line of words is left of where it is put: 0, a half or all.
  var anchor = 0.0

  private static let properties = [
    "color", "fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "opacity", "visibility",
    "display",
    "font-size", "text-anchor",
  ]

  /// What an element has whose parent has this: by its attributes, the file's style sheets, and its own `style`, the later
  /// going before the earlier. What cannot be read counts as not said.
  func of(_ element: MarkupElement, sheet: SVGStyleSheet, diagonal: Double) -> SVGStyle {
    var style = self
    var declared: [String: String] = [:]
    for name in Self.properties { declared[name] = element[name] }
    for (name, value) in sheet.declarations(for: element) { declared[name] = value }
    for (name, value) in SVGStyleSheet.declarations(element["style"] ?? "") { declared[name] = value }
    // Its own color is what `currentColor` means in the others.
    for name in Self.properties {
      guard let value = declared[name], value != "inherit" else { continue }
      style.set(name, to: value, diagonal: diagonal)
    }
    return style
  }

  private mutating func set(_ name: String, to value: String, diagonal: Double) {
    switch name {
    case "color": color = SeeThroughColor(css: value) ?? color
    case "fill": fill = paint(value) ?? fill
    case "stroke": stroke = paint(value) ?? stroke
    case "stroke-width": strokeWidth = SVGLength.read(value, of: diagonal).map { max(0, $0) } ?? strokeWidth
    case "fill-opacity": fillOpacity = Self.part(value) ?? fillOpacity
    case "stroke-opacity": strokeOpacity = Self.part(value) ?? strokeOpacity
    case "opacity": opacity *= Self.part(value) ?? 1
    case "visibility": isVisible = value == "visible"
    case "text-anchor": anchor = ["start": 0, "middle": 0.5, "end": 1][value] ?? anchor
    case "display": isLeftOut = value == "none"
    default: fontSize = SVGLength.read(value, of: fontSize) ?? fontSize
    }
  }

  private func paint(_ value: String) -> Paint? {
    switch value.lowercased() {
    case "none", "transparent": return Paint.none
    case "currentcolor": return .color(color)
    default: break
    }
    if value.hasPrefix("url("), let end = value.firstIndex(of: ")") {
      let name = value[value.index(value.startIndex, offsetBy: 4)..<end].filter { !"\"'# ".contains($0) }
      let rest = value[value.index(after: end)...].drop { $0 == " " }
      return .reference(name, fallback: SeeThroughColor(css: String(rest)))
    }
    return SeeThroughColor(css: value).map { .color($0) }
  }

  private static func part(_ value: String) -> Double? {
    SVGLength.read(value, of: 1).map { min(1, max(0, $0)) }
  }
}
