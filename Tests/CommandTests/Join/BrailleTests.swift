import FoundationEssentials
import Testing

@testable import drawtogether

/// The board as dots, and the output for terminals.
@Suite("The board is drawn in a terminal with braille dots, letters and colors")
struct BrailleTests {
  @Test("Each dot sets one bit of a braille character. Dots outside the canvas are ignored")
  func dots() {
    var canvas = BrailleCanvas(columns: 8, rows: 1)
    for (cell, dot) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)].enumerated() {
      canvas.set(x: 2 * cell + dot.0, y: dot.1, color: nil)
    }
    for (x, y) in [(-1, 0), (16, 0), (0, -1), (0, 4)] { canvas.set(x: x, y: y, color: nil) }
    #expect(canvas.text == "⠁⠂⠄⠈⠐⠠⡀⢀")
  }

  @Test("Letters hide dots, wide letters use two cells, and a half-overwritten wide letter disappears")
  func letters() {
    var canvas = BrailleCanvas(columns: 6, rows: 2)
    canvas.set(x: 0, y: 0, color: nil)
    canvas.write("a界b", column: 0, row: 0, color: nil)
    #expect(canvas.text == "a界b\n")
    canvas.write("x", column: 2, row: 0, color: nil)
    #expect(canvas.text == "a xb\n")
    canvas.write("abc界", column: -1, row: 1, color: nil)
    #expect(canvas.text == "a xb\nbc界")
    canvas.write("toolong", column: 4, row: 1, color: nil)
    #expect(canvas.text == "a xb\nbc界to")
    #expect(CellWidth.of("e\u{301}") == 1)
    #expect(CellWidth.of("👩‍🚀") == 2)
    #expect(CellWidth.fitted("abcdef", to: 4) == "abc…")
  }

  private func stroke(_ points: [(Double, Double)], width: Double = 0.5) throws -> Board.Item {
    let list = points.map { "[\($0.0),\($0.1)]" }.joined(separator: ",")
    let payload = #"{"point":[0,0],"points":[\#(list)],"width":\#(width),"color":7}"#
    return Board.Item(
      id: UUID(), z: 0, content: .mark(.stroke(try #require(StrokeMark(Array(payload.utf8))))))
  }

  @Test("The whole board is scaled to the window and keeps its proportions")
  func painting() throws {
    let items = [try stroke([(0, 0), (100, 0), (100, 50), (0, 50), (0, 0)])]
    let box = try #require(items[0].box)
    let camera = BoardCamera(showing: box, width: 20, height: 24)
    let canvas = BoardPainter.paint(items, by: camera, columns: 10, rows: 6)
    #expect(
      canvas.text.split(separator: "\n", omittingEmptySubsequences: false) == [
        "", "⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀", "⡇        ⢸", "⡇        ⢸", "⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉", "",
      ], "\n\(canvas.text)")
    #expect(canvas.cells.contains { $0.color == RGB.palette[7] })
  }

  @Test(
    "DotMask returns each dot of its ranges once, even if ranges overlap or cross the mask's 64-bit words"
  )
  func mask() {
    var mask = DotMask(width: 130, height: 2)
    for (left, right, y) in [
      (-5, 0, 0), (60, 70, 0), (62, 65, 0), (127, 500, 1), (3, 2, 1), (0, 9, 2), (0, 9, -1),
    ] {
      mask.set(from: left, to: right, y: y)
    }
    var dots: [[Int]] = []
    mask.drain { dots.append([$0, $1]) }
    #expect(
      dots == [0, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70].map { [$0, 0] }
        + [127, 128, 129].map { [$0, 1] })
    mask.set(from: 5, to: 5, y: 0)
    dots = []
    mask.drain { dots.append([$0, $1]) }
    #expect(dots == [[5, 0]])
  }

  @Test("If a stroke has very many short segments, its end and its corners are still drawn")
  func shortPieces() throws {
    let there = (0...3000).map { (Double($0) / 100, 0.0) }
    let items = [try stroke(there + there.reversed() + [(0, 10), (0, 10.01)])]
    let plain = [try stroke([(0, 0), (30, 0), (0, 0), (0, 10), (0, 10.01)])]
    let camera = BoardCamera(showing: items[0].box, width: 40, height: 40)
    let texts = [items, plain].map { BoardPainter.paint($0, by: camera, columns: 20, rows: 10).text }
    #expect(texts[0] == texts[1], "\n\(texts[0])\n\(texts[1])")
  }

  @Test("A wide stroke is drawn with its width, and black is drawn in the terminal's own color")
  func thickness() throws {
    let items = [try stroke([(0, 0), (0, 0)], width: 100)]
    let canvas = BoardPainter.paint(
      items, by: BoardCamera(showing: items[0].box, width: 20, height: 20), columns: 10, rows: 5)
    let dots = canvas.cells.reduce(0) { $0 + $1.dots.nonzeroBitCount }
    // The stroke is a circle. Its diameter is 92 % of the window, which is 20 dots wide.
    #expect(abs(Double(dots) - Double.pi * 9.2 * 9.2) < 30, "\(dots)\n\(canvas.text)")
    let payload = Array(##"{"point":[0,0],"rgb":"#101010"}"##.utf8)
    let black = Board.Item(id: UUID(), z: 0, content: .mark(.stroke(try #require(StrokeMark(payload)))))
    let one = BoardPainter.paint(
      [black], by: BoardCamera(showing: black.box, width: 4, height: 4), columns: 2, rows: 1)
    #expect(one.cells.allSatisfy { $0.color == nil })
    #expect(one.cells.contains { $0.dots != 0 })
  }

  @Test("Texts and the names of pictures are printed as letters, and pictures have a frame")
  func words() throws {
    let text = Array(#"{"text":"one\ntwo","point":[0,0],"size":100}"#.utf8)
    let mark = try #require(TextMark(text))
    let items = [
      Board.Item(id: UUID(), z: 0, content: .mark(.text(mark))),
      Board.Item(
        id: UUID(), z: 1,
        content: .picture(name: "a.png", PlaneBox(left: 200, top: 0, right: 500, bottom: 250))),
    ]
    let other = try #require(items[1].box)
    let box = try #require(items[0].box?.union(other))
    let canvas = BoardPainter.paint(
      items, by: BoardCamera(showing: box, width: 60, height: 32), columns: 30, rows: 8)
    let lines = canvas.text.split(separator: "\n")
    #expect(lines.contains { $0.contains("one") && !$0.contains("two") }, "\n\(canvas.text)")
    #expect(lines.contains { $0.contains("two") })
    #expect(lines.contains { $0.contains("a.png") })
  }

  @Test("The camera does not move while the content fits into the view and is not too small in it")
  func following() {
    let first = BoardCamera(
      showing: PlaneBox(left: 0, top: 0, right: 100, bottom: 100), width: 100, height: 100)
    #expect(
      first.following(PlaneBox(left: 0, top: 0, right: 100, bottom: 101), width: 100, height: 100) == first)
    let further = PlaneBox(left: 0, top: 0, right: 200, bottom: 100)
    #expect(first.following(further, width: 100, height: 100).view.contains(further))
    #expect(first.following(further, width: 100, height: 100) != first)
    let less = PlaneBox(left: 0, top: 0, right: 50, bottom: 50)
    #expect(first.following(less, width: 100, height: 100) != first)
    #expect(
      first.following(PlaneBox(left: 0, top: 0, right: 100, bottom: 100), width: 80, height: 100) != first)
  }

  @Test(
    "Colors match the color support of the terminal",
    arguments: [
      ([:], true, "\u{1B}[38;5;160m"), (["COLORTERM": "truecolor"], true, "\u{1B}[38;2;222;10;10m"),
      (["COLORTERM": "24bit", "NO_COLOR": "1"], true, ""), (["TERM": "dumb"], true, ""),
      (["TERM": "xterm-direct"], true, "\u{1B}[38;2;222;10;10m"), (["COLORTERM": "truecolor"], false, ""),
      (["NO_COLOR": ""], true, "\u{1B}[38;5;160m"),
    ] as [([String: String], Bool, String)])
  func colors(_ environment: [String: String], _ isTerminal: Bool, _ expected: String) {
    #expect(TerminalColors.of(environment, isTerminal: isTerminal).select(RGB(0xDE0A0A)) == expected)
  }

  @Test("Gray is shown as gray on a terminal with few colors")
  func grays() {
    #expect(TerminalColors.index(of: RGB(0x808080)) == 244)
    #expect(TerminalColors.index(of: RGB(0)) == 16)
    #expect(TerminalColors.index(of: RGB(0xFFFFFF)) == 231)
  }

  @Test("Only changed rows are drawn, and each row resets its color at its end")
  func frames() {
    var canvas = BrailleCanvas(columns: 3, rows: 2)
    canvas.set(x: 0, y: 0, color: RGB(0xFF0000))
    var frame = TerminalFrame(.all)
    let first = frame.output(canvas, status: "s")
    #expect(first.contains("\u{1B}[1;1H\u{1B}[K\u{1B}[38;2;255;0;0m⠁\u{1B}[0m"))
    #expect(first.contains("\u{1B}[3;1H\u{1B}[K\u{1B}[7ms  \u{1B}[0m"))
    let none = frame.output(canvas, status: "s")
    #expect(none == "")
    canvas.set(x: 2, y: 4, color: nil)
    let second = frame.output(canvas, status: "s")
    #expect(second.contains("\u{1B}[2;1H\u{1B}[K ") && !second.contains("[1;1H") && !second.contains("[3;1H"))
    #expect(TerminalFrame.begin.contains("[?7l") && TerminalFrame.end.contains("[?7h"), "rows do not wrap")
    frame.invalidate()
    let whole = frame.output(canvas, status: "s")
    #expect(whole.contains("\u{1B}[1;1H"))
    #expect(TerminalFrame(.none).lines(canvas) == "⠁\n ⠁\n")
  }

  @Test("The status line contains the connection state, the participants and the number of items")
  func status() {
    var status = StatusLine()
    #expect(status.text == " connecting… · 0 marks")
    status = StatusLine(participants: ["Ada", "B\u{1B}en"], marks: 1, attachments: 2, connection: .live)
    #expect(status.text == " live · Ada, Ben · 1 mark · 2 files")
    status.participants = (1...10).map { "P\($0)" }
    status.connection = .away
    #expect(status.text == " reconnecting… · P1, P2, P3, P4, P5, P6, P7, P8 and 2 more · 1 mark · 2 files")
  }
}
