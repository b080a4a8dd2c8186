/// Renders a board as dots and letters.
struct BoardPainter {
  /// The opacity of a highlighter on a dark window.
  private static let highlighterOpacity = 0.45

  private let camera: BoardCamera
  private var canvas: BrailleCanvas
  /// The dots of the current mark.
  private var mask: DotMask

  private init(_ camera: BoardCamera, columns: Int, rows: Int) {
    self.camera = camera
    canvas = BrailleCanvas(columns: columns, rows: rows)
    mask = DotMask(width: canvas.width, height: canvas.height)
  }

  /// Renders the visible part of a board.
  static func paint(
    _ items: [Board.Item], by camera: BoardCamera, columns: Int, rows: Int
  ) -> BrailleCanvas {
    var painter = BoardPainter(camera, columns: columns, rows: rows)
    for item in items {
      switch item.content {
      case .mark(.stroke(let stroke)): painter.paint(stroke)
      case .mark(.text(let text)): painter.paint(text)
      case .picture(let name, let box): painter.paint(name, box)
      }
    }
    return painter.canvas
  }

  private mutating func paint(_ stroke: StrokeMark) {
    let color = Self.visible(
      stroke.isHighlighter ? stroke.color.blended(Self.highlighterOpacity, over: RGB(0)) : stroke.color)
    var before: PlanePoint?
    for (index, point) in stroke.points.enumerated() {
      let dot = camera(point)
      // The page uses the same formula. A pressure of 0.5 does not change the width.
      let pressure = stroke.pressures.isEmpty ? 1 : 1 + 1.1 * (stroke.pressures[index] - 0.5)
      let radius = stroke.width * pressure * camera.scale / 2
      // A point in the same dot as the previous point is skipped, except the last point, which ends the stroke.
      if let before, index + 1 < stroke.points.count, dot.x.rounded(.down) == before.x.rounded(.down),
        dot.y.rounded(.down) == before.y.rounded(.down)
      {
        continue
      }
      line(from: before ?? dot, to: dot, radius: radius)
      before = dot
    }
    fill(color)
  }

  /// Moves the dots of the mask to the canvas.
  private mutating func fill(_ color: RGB?) {
    mask.drain { x, y in canvas.set(x: x, y: y, color: color) }
  }

  /// Draws a line with round ends, at least one dot wide.
  private mutating func line(from: PlanePoint, to: PlanePoint, radius: Double) {
    let delta = to - from
    // The line consists of points or discs. The distance between two neighbors is one dot for a thin line, and half the radius
    // for a thick line.
    let step = max(1, radius / 2)
    let steps = max(1, (max(abs(delta.x), abs(delta.y)) / step).rounded(.up))
    guard steps.isFinite, steps < 1e6 else { return }
    for at in 0...Int(steps) {
      let point = from + Double(at) / steps * delta
      if radius < 1 {
        let x = Int(point.x.rounded(.down))
        mask.set(from: x, to: x, y: Int(point.y.rounded(.down)))
      } else {
        disc(point, radius)
      }
    }
  }

  private mutating func disc(_ center: PlanePoint, _ radius: Double) {
    let top = max(0, Int((center.y - radius).rounded()))
    let bottom = min(canvas.height - 1, Int((center.y + radius).rounded()))
    guard top <= bottom else { return }
    for y in top...bottom {
      let off = Double(y) + 0.5 - center.y
      let half = (radius * radius - off * off).squareRoot()
      guard half.isFinite else { continue }
      mask.set(
        from: Int((center.x - half).rounded(.down)), to: Int((center.x + half).rounded(.down)), y: y)
    }
  }

  /// Writes the lines of a text in the terminal's letters. Lines that would overlap are omitted.
  private mutating func paint(_ text: TextMark) {
    let color = Self.visible(text.color)
    var last: Int?
    for (index, line) in text.lines.enumerated() {
      let center = text.corner.y + (Double(index) + 0.5) * TextMark.lineHeight * text.size
      let place = camera(PlanePoint(x: text.corner.x, y: center))
      let row = Int((place.y / 4).rounded(.down))
      guard row != last else { continue }
      last = row
      canvas.write(line, column: Int((place.x / 2).rounded(.down)), row: row, color: color)
    }
  }

  /// Draws an attachment as a frame with the attachment's name in the center.
  private mutating func paint(_ name: String, _ box: PlaneBox) {
    let (corner, far) = (
      camera(PlanePoint(x: box.left, y: box.top)), camera(PlanePoint(x: box.right, y: box.bottom))
    )
    let others = (PlanePoint(x: far.x, y: corner.y), PlanePoint(x: corner.x, y: far.y))
    for (from, to) in [(corner, others.0), (others.0, far), (far, others.1), (others.1, corner)] {
      line(from: from, to: to, radius: 0.5)
    }
    fill(nil)
    let columns = max(4, Int((far.x - corner.x) / 2) - 2)
    let shown = CellWidth.fitted(TextMark.line(name), to: columns)
    let center = 0.5 * (corner + far)
    canvas.write(
      shown, column: Int(center.x / 2) - CellWidth.of(shown) / 2, row: Int((center.y / 4).rounded(.down)),
      color: nil)
  }

  /// Returns a color that is visible on any background; nil (the terminal's own color) for a color close to black or white.
  private static func visible(_ color: RGB) -> RGB? {
    color.chroma < 0.2 && (color.brightness < 0.25 || color.brightness > 0.85) ? nil : color
  }
}
