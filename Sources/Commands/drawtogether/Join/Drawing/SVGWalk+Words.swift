/// The words of a drawing (SVG 2, section 11), a line each.
extension SVGWalk {
  /// Words that follow each other in one line.
  private struct Row {
    var start: PlanePoint
    var style: SVGStyle
    var text = ""

    var isBlank: Bool { text.allSatisfy(\.isWhitespace) }
  }

  /// Words: a line for each `<tspan>` that says where it is; what does not goes on in the line before, and so does what is
  /// behind a `<tspan>`.
  mutating func words(_ element: MarkupElement, _ place: Place) throws(SVGError) {
    let position = PlanePoint(x: coordinate("x", element) ?? 0, y: coordinate("y", element) ?? 0)
    var rows = [Row(start: position, style: place.style)]
    try collect(element, place.style, into: &rows)
    for row in rows { try add(row, place.map) }
  }

  private mutating func collect(
    _ element: MarkupElement, _ outer: SVGStyle, into rows: inout [Row]
  ) throws(SVGError) {
    for (index, text) in element.texts.enumerated() {
      rows[rows.count - 1].text += text
      guard index < element.children.count else { return }
      let child = element.children[index]
      guard ["tspan", "textPath", "a"].contains(child.name) else { continue }
      try visit(child)
      let style = outer.of(child, sheet: sheet, diagonal: diagonal)
      guard !style.isLeftOut else { continue }
      if child["x"] != nil || child["y"] != nil || child["dy"] != nil {
        let before = rows[rows.count - 1].start
        let y = (coordinate("y", child) ?? before.y) + (coordinate("dy", child) ?? 0)
        rows.append(Row(start: PlanePoint(x: coordinate("x", child) ?? before.x, y: y), style: style))
      } else if rows[rows.count - 1].isBlank {
        rows[rows.count - 1].style = style
      }
      try collect(child, style, into: &rows)
    }
  }

  private mutating func add(_ row: Row, _ map: PlaneTransform) throws(SVGError) {
    let text = row.text.split { $0.isWhitespace }.joined(separator: " ")
    let style = row.style
    guard !text.isEmpty, style.isVisible,
      let color = color(style.fill, style.opacity * style.fillOpacity)
    else { return }
    let width = Double(CellWidth.of(text)) * TextMark.letter * style.fontSize
    let baseline = map(PlanePoint(x: row.start.x - style.anchor * width, y: row.start.y))
    guard baseline.isOnPlane else { throw .beyondPlane }
    try add(
      .words(
        SVGDrawing.Words(text: text, baseline: baseline, size: style.fontSize * map.scaling, color: color)))
  }

  /// The first of what may be a list.
  private func coordinate(_ name: String, _ element: MarkupElement) -> Double? {
    let whole = name == "x" ? viewport.width : viewport.height
    return element[name]?.split { $0 == "," || $0.isWhitespace }.first.flatMap {
      SVGLength.read(String($0), of: whole)
    }
  }
}
