import Testing

@testable import drawtogether

/// What of an SVG is drawn, where, in which color and how wide.
@Suite("SVG drawings")
struct SVGDrawingTests {
  private func drawing(_ inner: String, root: String = "", width: Double? = nil) throws -> SVGDrawing {
    try SVGDrawing.read(Array("<svg \(root)>\(inner)</svg>".utf8), width: width)
  }

  private func lines(_ inner: String, root: String = "", width: Double? = nil) throws -> [SVGDrawing.Line] {
    try drawing(inner, root: root, width: width).items.compactMap {
      if case .line(let line) = $0 { line } else { nil }
    }
  }

  private func points(_ line: SVGDrawing.Line?) -> [Double] { line?.points.flatMap { [$0.x, $0.y] } ?? [] }

  @Test(
    "Basic shapes are the paths that they are",
    arguments: [
      ("<line x1='1' y1='2' x2='3' y2='4' stroke='red'/>", [1, 2, 3, 4]),
      ("<polyline points='0,0 5 5 10,0'/>", [0, 0, 5, 5, 10, 0]),
      ("<polygon points='0,0 5-5 10,0'/>", [0, 0, 5, -5, 10, 0, 0, 0]),
      ("<rect x='1' y='2' width='3' height='4'/>", [1, 2, 4, 2, 4, 6, 1, 6, 1, 2]),
    ] as [(String, [Double])])
  func shapes(_ text: String, _ expected: [Double]) throws {
    #expect(points(try lines(text).first) == expected)
  }

  @Test("Circles, ellipses and round corners are round; what has no extent draws nothing")
  func round() throws {
    let found = try lines(
      """
      <circle cx="5" cy="5" r="10"/><ellipse cx="0" cy="0" rx="10" ry="20"/>
      <rect width="100" height="50" rx="10"/><circle r="0"/><rect width="0" height="1"/><ellipse rx="5"/>
      """)
    #expect(found.count == 4)
    #expect(found[0].points.allSatisfy { abs(($0 - PlanePoint(x: 5, y: 5)).length - 10) < 0.2 })
    #expect(found[1].points.map(\.y).max().map { abs($0 - 20) < 0.1 } == true)
    let box = try #require(PlaneBox.around(found[2].points))
    #expect(box == PlaneBox(left: 0, top: 0, right: 100, bottom: 50))
    #expect(!found[2].points.contains { ($0 - PlanePoint(x: 0, y: 0)).length < 4 })
  }

  @Test(
    "Groups hand on how they paint and where; style goes before attributes, and rules of the file between them"
  )
  func styles() throws {
    let found = try lines(
      """
      <style>/* a */ .thin, rect { stroke: #00f; stroke-width: 2px } path.thin { stroke: lime !important }</style>
      <g stroke="red" stroke-width="4" transform="translate(10 20) scale(2)" fill="none">
        <path d="M0 0h1"/>
        <path d="M0 0h1" style="stroke:rgb(1,2,3);stroke-width:1"/>
        <path class="thin x" d="M0 0h1"/>
        <line class="thin" x2="1"/>
      </g>
      <path d="M0 0h1" display="none"/><g visibility="hidden"><path d="M0 0h1"/></g>
      <path d="M0 0h1" fill="none"/><path d="M0 0h1" stroke="red" opacity="0"/>
      """)
    #expect(found.map(\.color) == [RGB(0xFF0000), RGB(0x010203), RGB(0x00FF00), RGB(0x0000FF)])
    #expect(found.map(\.width) == [8, 2, 4, 4])
    #expect(points(found[0]) == [10, 20, 12, 20])
  }

  @Test("What is only filled is outlined in its color; a gradient is as its first color")
  func fills() throws {
    let found = try lines(
      """
      <defs><linearGradient id="a"><stop stop-color="gold"/></linearGradient>
      <linearGradient id="b" href="#a"/></defs>
      <rect width="1" height="1" fill="teal"/><rect width="1" height="1"/>
      <rect width="1" height="1" fill="url(#b)"/><rect width="1" height="1" fill="url(#none) navy"/>
      <g color="plum"><rect width="1" height="1" stroke="currentColor"/></g>
      """)
    #expect(found.map(\.color) == [0x008080, 0x000000, 0xFFD700, 0x000080, 0xDDA0DD].map(RGB.init))
    #expect(found[0].width == 1.5)
  }

  @Test(
    "A box and a size say how large it is",
    arguments: [
      ("viewBox='0 0 10 20'", nil, [0.0, 0, 10, 20]),
      ("viewBox='10 20 10 20' width='100'", nil, [-100, -200, 0, 0]),
      ("viewBox='0 0 10 10' width='50%'", nil, [0, 0, 5, 10]), ("viewBox='0 0 10 20'", 30, [0, 0, 30, 60]),
      ("width='40'", 20, [0, 0, 5, 10]), ("", 20, [0, 0, 20, 40]),
      ("viewBox='0 0 96 96' width='1in' height='25.4mm'", nil, [0, 0, 10, 20]),
    ] as [(String, Double?, [Double])])
  func sizes(_ root: String, _ width: Double?, _ expected: [Double]) throws {
    let line = try #require(try lines("<path d='M0 0L10 20' stroke='red'/>", root: root, width: width).first)
    #expect(points(line) == expected)
  }

  @Test("It is put where it is asked to be")
  func origin() throws {
    let bytes = Array("<svg viewBox='5 5 10 10'><path d='M5 5h10'/></svg>".utf8)
    let drawing = try SVGDrawing.read(bytes, width: 20, at: PlanePoint(x: 100, y: -50))
    #expect(drawing.bounds == PlaneBox(left: 100, top: -50, right: 120, bottom: -50))
  }

  @Test("What is used is drawn where it is used, also a symbol; what uses itself is refused")
  func uses() throws {
    let found = try lines(
      """
      <defs><path id="p" d="M0 0h1"/><symbol id="s" viewBox="0 0 10 10"><path d="M0 5h10"/></symbol></defs>
      <use href="#p" x="5" stroke="red"/><use xlink:href="#s" x="10" width="20" height="20"/>
      """)
    #expect(found.map(points) == [[5, 0, 6, 0], [10, 10, 30, 10]])
    #expect(found[0].color == RGB(0xFF0000))
    #expect(throws: SVGError.usesTooDeep(limit: 8, line: 1)) { try lines("<g id='a'><use href='#a'/></g>") }
  }

  @Test("Uses of uses have an end, also where nothing is drawn in the end")
  func manyUses() throws {
    let levels = (1...7).map { level in
      "<g id='g\(level)'>" + String(repeating: "<use href='#g\(level - 1)'/>", count: 60) + "</g>"
    }
    let text = "<svg><defs><g id='g0'/>\(levels.joined())</defs><use href='#g7'/></svg>"
    let root = try MarkupReader.read(Array(text.utf8))
    #expect(throws: SVGError.tooManyVisits(limit: 1000)) {
      try SVGWalk.drawing(of: root, width: nil, at: PlanePoint(x: 0, y: 0), maximumVisits: 1000)
    }
    let long = "<svg><path id='p' d='\(String(repeating: "M0 0", count: 10_000))'/><use href='#p'/></svg>"
    #expect(throws: SVGError.tooManyVisits(limit: 1000)) {
      let root = try MarkupReader.read(Array(long.utf8))
      return try SVGWalk.drawing(of: root, width: nil, at: PlanePoint(x: 0, y: 0), maximumVisits: 1000)
    }
  }

  @Test("What is used is nested no deeper in its place than elements may be")
  func deepUses() throws {
    let (begin, end) = (String(repeating: "<g>", count: 250), String(repeating: "</g>", count: 250))
    let groups = (1...7).map { "<g id='g\($0)'>\(begin)<use href='#g\($0 - 1)'/>\(end)</g>" }
    let definitions = "<defs><path id='g0' d='M0 0h1'/>\(groups.joined())</defs>"
    #expect(try lines("\(definitions)<use href='#g1'/>").map(points) == [[0, 0, 1, 0]])
    #expect(throws: SVGError.nestedTooDeep(limit: 256, line: 1)) {
      try lines("\(definitions)<use href='#g7'/>")
    }
  }

  @Test("Of a file's rules for styles the first thousand count, however they are written")
  func manyRules() throws {
    let names = { (range: Range<Int>) in range.map { ".c\($0)" }.joined(separator: ",") }
    let found = try lines(
      """
      <style>\(names(0..<900)){stroke:red} \(names(900..<3000)){stroke:red}</style>
      <path class="c0" d="M0 0h1"/><path class="c999" d="M0 0h1"/><path class="c1000" d="M0 0h1"/>
      """)
    #expect(found.map(\.color) == [0xFF0000, 0xFF0000, 0].map(RGB.init))
  }

  @Test("Words are words, at their baseline, a line each; in one line as they follow each other")
  func words() throws {
    let items = try drawing(
      """
      <g transform="scale(2)"><text x="10" y="20" font-size="12" fill="red">one <tspan>two</tspan>
      <tspan x="10" dy="15">three</tspan></text></g>
      """
    ).items
    #expect(
      items == [
        .words(.init(text: "one two", baseline: PlanePoint(x: 20, y: 40), size: 24, color: RGB(0xFF0000))),
        .words(.init(text: "three", baseline: PlanePoint(x: 20, y: 70), size: 24, color: RGB(0xFF0000))),
      ])
  }

  @Test(
    "Words follow each other as they are written, also in what is within and behind a part of them",
    arguments: [
      ("Hello <tspan>big</tspan> world", ["Hello big world"]),
      ("a<tspan>b<tspan>c</tspan>d</tspan>e", ["abcde"]),
      ("a<tspan x='0' dy='9'>b <tspan>c</tspan></tspan> d", ["a", "b c d"]),
      ("a<tspan y='9'><tspan y='18'>b</tspan></tspan>", ["a", "b"]),
      ("a<title>no</title>b<tspan display='none'>c</tspan>", ["ab"]),
    ])
  func runs(_ text: String, _ expected: [String]) throws {
    let found = try drawing("<text>\(text)</text>").items.map { item in
      if case .words(let words) = item { words.text } else { "a line" }
    }
    #expect(found == expected)
  }

  @Test("Words are put with their left, their middle or their right where it is said")
  func anchors() throws {
    let items = try drawing(
      """
      <g font-size="20" text-anchor="middle"><text x="100">abcd<tspan y="9" x="50" text-anchor="end">ab</tspan></text>
      <text x="7" style="text-anchor:start"><tspan fill="red">abcd</tspan></text></g>
      """
    ).items
    let words = items.compactMap { if case .words(let words) = $0 { words } else { nil } }
    #expect(words.map { ($0.baseline.x * 100).rounded() / 100 } == [78, 28, 7])
    #expect(words.last?.color == RGB(0xFF0000), "the color of what there is")
  }

  @Test(
    "What cannot be drawn is refused in words",
    arguments: [
      ("<html/>", "line 1: <html> is no <svg>"), ("<svg/>", "there is nothing to draw in it"),
      (
        "<svg><image href='file:///etc/passwd'/><image/></svg>",
        "there is nothing to draw in it but 2 <image>, which are no lines"
      ),
      ("<svg>\n<path d='M0'/></svg>", "line 2: the path has the end at character 3, where it needs a number"),
      ("<svg>\n<g transform='up(1)'/></svg>", "line 2: transform=\"up(1)\" of <g> cannot be read"),
      ("<svg viewBox='0 0 1'/>", "line 1: viewBox=\"0 0 1\" of <svg> cannot be read"),
      ("<svg><rect width='wide' height='1'/></svg>", "line 1: width=\"wide\" of <rect> cannot be read"),
      ("<svg><polyline points='1 2 3'/></svg>", "line 1: points=\"1 2 3\" of <polyline> cannot be read"),
      ("<svg><path d='M0 0h2000000'/></svg>", "a part of it would be beyond ±1000000, where the canvas ends"),
      (
        "<svg><path transform='scale(1e300)' d='M0 0C1e9 0 1e9 1e9 0 1e9'/></svg>",
        "a part of it would be beyond ±1000000, where the canvas ends"
      ),
      (
        "<svg><rect width='1e308in' height='10' rx='5'/></svg>",
        "line 1: width=\"1e308in\" of <rect> cannot be read"
      ),
    ])
  func refuses(_ text: String, _ words: String) {
    let error = #expect(throws: SVGError.self) { try SVGDrawing.read(Array(text.utf8)) }
    #expect(error?.description == words)
  }

  @Test(
    "Colors are read as CSS writes them",
    arguments: [
      ("#f80", 0xFF8800, 1), ("#FF880080", 0xFF8800, 128.0 / 255), ("rgb(255, 136, 0)", 0xFF8800, 1),
      ("rgba(100% 0% 0% / 50%)", 0xFF0000, 0.5), ("hsl(120, 100%, 25%)", 0x008000, 1),
      ("hsl(-120deg 100% 50%)", 0x0000FF, 1), ("RebeccaPurple", 0x663399, 1),
    ] as [(String, UInt32, Double)])
  func colors(_ text: String, _ number: UInt32, _ alpha: Double) {
    #expect(SeeThroughColor(css: text) == SeeThroughColor(color: RGB(number), alpha: alpha))
  }

  @Test(
    "What is no color is none",
    arguments: ["", "#12", "#12345g", "rgb(1,2)", "rgb(a,b,c)", "bluish", "url(#a)"])
  func noColors(_ text: String) {
    #expect(SeeThroughColor(css: text) == nil)
  }

  @Test("Of the palette the nearest is taken")
  func palette() {
    #expect(RGB.palette.indices.map { RGB.palette[$0].nearestOfPalette } == Array(0...10))
    #expect(RGB(0xFF0000).nearestOfPalette == 0)
    #expect(RGB(0x2BA9E0).description == "#2ba9e0")
    #expect(RGB("#2BA9E0") == RGB(0x2BA9E0))
    #expect(RGB("#2BA9E") == nil)
    #expect(RGB("#+BA9E0") == nil)
  }
}
