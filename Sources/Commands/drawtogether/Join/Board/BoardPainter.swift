/// Paints a board in dots and letters.
struct BoardPainter {
  /// A highlighter is seen through: so much of it is seen on a dark window.
  private static let highlighterPart = 0.45

  private let camera: BoardCamera
  private var canvas: BrailleCanvas
  /// What the mark that is being painted covers.
  private var mask: DotMask

  private init(_ camera: BoardCamera, columns: Int, rows: Int) {
    self.camera = camera
    canvas = BrailleCanvas(columns: columns, rows: rows)
    mask = DotMask(width: canvas.width, height: canvas.height)
  }

  /// All that is seen of a board by a camera.
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
    let color = Self.seen(
      stroke.isHighlighter ? stroke.color.mixed(Self.highlighterPart, over: RGB(0)) : stroke.color)
    var before: PlanePoint?
    for (index, point) in stroke.points.enumerated() {
      let dot = camera(point)
      // As the page has it: a half is neither more nor less.
      let pressure = stroke.pressures.isEmpty ? 1 : 1 + 1.1 * (stroke.pressures[index] - 0.5)
      let radius = stroke.width * pressure * camera.scale / 2
      // What stays within a dot is seen no better with that; the last point is where it ends.
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

  /// Puts what is covered onto the canvas.
  private mutating func fill(_ color: RGB?) {
    mask.drain { x, y in canvas.set(x: x, y: y, color: color) }
  }

  /// A line with round ends, a dot at least.
  private mutating func line(from: PlanePoint, to: PlanePoint, radius: Double) {
    let way = to - from
    // What is a dot thin needs each, what is thick no more than its middle asks for.
    let step = max(1, radius / 2)
    let steps = max(1, (max(abs(way.x), abs(way.y)) / step).rounded(.up))
    guard steps.isFinite, steps < 1e6 else { return }
    for at in 0...Int(steps) {
      let point = from + Double(at) / steps * way
      if radius < 1 {
        let x = Int(point.x.rounded(.down))
        mask.set(from: x, to: x, y: Int(point.y.rounded(.down)))
      } else {
        disc(point, radius)
      }
    }
  }

  private mutating func disc(_ middle: PlanePoint, _ radius: Double) {
    let top = max(0, Int((middle.y - radius).rounded()))
    let bottom = min(canvas.height - 1, Int((middle.y + radius).rounded()))
    guard top <= bottom else { return }
    for y in top...bottom {
      let off = Double(y) + 0.5 - middle.y
      let half = (radius * radius - off * off).squareRoot()
      guard half.isFinite else { continue }
      mask.set(
        from: Int((middle.x - half).rounded(.down)), to: Int((middle.x + half).rounded(.down)), y: y)
    }
  }

  /// Letters are as large as the terminal's, wherever one is; lines that would lie upon each other are left out.
  private mutating func paint(_ text: TextMark) {
    let color = Self.seen(text.color)
    var last: Int?
    for (index, words) in text.lines.enumerated() {
      let middle = text.corner.y + (Double(index) + 0.5) * TextMark.line * text.size
      let place = camera(PlanePoint(x: text.corner.x, y: middle))
      let row = Int((place.y / 4).rounded(.down))
      guard row != last else { continue }
      last = row
      canvas.write(words, column: Int((place.x / 2).rounded(.down)), row: row, color: color)
    }
  }

  /// A frame with the name in its middle.
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
    let middle = 0.5 * (corner + far)
    canvas.write(
      shown, column: Int(middle.x / 2) - CellWidth.of(shown) / 2, row: Int((middle.y / 4).rounded(.down)),
      color: nil)
  }

  /// Black ink is not seen on a dark window nor white on a bright one, and nobody tells which it is: such a color is left to
  /// the terminal.
  private static func seen(_ color: RGB) -> RGB? {
    color.chroma < 0.2 && (color.brightness < 0.25 || color.brightness > 0.85) ? nil : color
  }
}
