import FoundationEssentials
import TestSupport
import Testing

@testable import drawtogether

/// The content of the board after messages of the session.
@Suite("Messages of a session change the strokes, texts and pictures on the board")
struct BoardTests {
  private static let one = UUID()
  private static let two = UUID()
  private let board = Page()

  /// The board in a class, so that expectations can call its mutating functions.
  private final class Page {
    private var board = Board()
    var markCount: Int { board.markCount }
    var nextZ: UInt64 { board.nextZ }
    func receive(_ entry: BoardEntry) -> Bool { board.receive(entry) }
    func receive(_ attachments: [BoardAttachment]) { board.receive(attachments) }
    func beginCatchUp(isSnapshot: Bool) { board.beginCatchUp(isSnapshot: isSnapshot) }
    func endCatchUp() { board.endCatchUp() }
    func freePosition() -> PlanePoint { board.freePosition() }
    func items() -> [Board.Item] { board.items() }
  }

  private func entry(
    _ type: String, _ payload: String, _ retention: BoardEntry.Retention, _ key: UUID? = one,
    at sequence: UInt64 = 1
  ) -> BoardEntry {
    BoardEntry(type: type, payload: Array(payload.utf8), retention: retention, key: key, sequence: sequence)
  }

  private func strokes() -> [StrokeMark] {
    board.items().compactMap { if case .mark(.stroke(let stroke)) = $0.content { stroke } else { nil } }
  }

  @Test(
    "Appending messages add points to a stroke, with `point` or with `points`. A replacing message replaces the stroke"
  )
  func grows() throws {
    #expect(board.receive(entry(Board.strokeType, #"{"id":"x","color":3,"point":[1,2]}"#, .append)))
    let more = #"{"color":3,"point":[5,6],"points":[[3,4],[5,6]],"pressures":[0.1,2]}"#
    #expect(board.receive(entry(Board.strokeType, more, .append)))
    let stroke = try #require(strokes().first)
    #expect(stroke.points == [(1.0, 2.0), (3, 4), (5, 6)].map { PlanePoint(x: $0.0, y: $0.1) })
    #expect(stroke.pressures == [0.5, 0.1, 1])
    #expect(stroke.color == RGB.palette[3])
    #expect(stroke.width == 3)
    let whole = ##"{"point":[9,9],"points":[[8,8],[9,9]],"rgb":"#0102FF","width":900,"tool":"highlighter"}"##
    #expect(board.receive(entry(Board.strokeType, whole, .replace)))
    let last = try #require(strokes().first)
    #expect(last.points.count == 2)
    #expect(last.color == RGB(0x0102FF))
    #expect(last.width == 200)
    #expect(last.isHighlighter)
    #expect(board.markCount == 1)
    #expect(board.receive(entry("Anything", "", .remove)))
    #expect(board.markCount == 0)
  }

  @Test("A stroke never exceeds the maximum number of points, even if the points arrive one by one")
  func longest() throws {
    let (most, list) = (StrokeMark.maximumPoints, { Array(repeating: $0, count: $1).joined(separator: ",") })
    let more = #"{"point":[2,2],"points":[[2,2],[3,3]],"pressures":[0.1,0.2]}"#
    for count in [most - 1, most + 1] {
      let payload = #"{"point":[1,1],"points":[\#(list("[1,1]", count))],"pressures":[\#(list("1", count))]}"#
      #expect(board.receive(entry(Board.strokeType, payload, .replace)))
      #expect(board.receive(entry(Board.strokeType, more, .append)))
      let stroke = try #require(strokes().first)
      #expect(stroke.points.count == most)
      #expect(stroke.pressures.count == most)
      #expect(stroke.pressures.last == (count < most ? 0.1 : 1))
    }
  }

  @Test(
    "A message with a malformed stroke, text or position does not change the board",
    arguments: [
      #"{"point":[1]}"#, #"{"point":[1,"2"]}"#, #"{"point":[1,2000000]}"#, #"{"points":[[1,2],[3]]}"#, "[]",
      "{", "",
    ])
  func suspicion(_ payload: String) {
    #expect(!board.receive(entry(Board.strokeType, payload, .replace)))
    #expect(!board.receive(entry(Board.textType, payload, .replace)))
    #expect(!board.receive(entry(Board.placementType, payload, .replace)))
    #expect(!board.receive(entry(Board.strokeType, #"{"point":[1,2]}"#, .none, nil)))
    #expect(board.items().isEmpty)
  }

  @Test("Strokes are ordered by `z`, then by key. A stroke without `z` uses the sequence of its first entry")
  func order() {
    _ = board.receive(entry(Board.strokeType, #"{"point":[1,1],"z":30}"#, .append, Self.one, at: 4))
    _ = board.receive(entry(Board.strokeType, #"{"point":[2,2]}"#, .append, Self.two, at: 29))
    #expect(board.items().map(\.id) == [Self.two, Self.one])
    _ = board.receive(entry(Board.strokeType, #"{"point":[2,2]}"#, .append, Self.two, at: 40))
    #expect(board.items().map(\.id) == [Self.two, Self.one])
    #expect(board.nextZ == 41)
    _ = board.receive(entry(Board.strokeType, #"{"point":[2,2],"z":99}"#, .replace, Self.two, at: 41))
    #expect(board.items().map(\.id) == [Self.one, Self.two])
    #expect(board.nextZ == 100)
  }

  @Test("A snapshot replaces the content of the board when the catch-up ends, not before")
  func snapshot() {
    _ = board.receive(entry(Board.strokeType, #"{"point":[1,1]}"#, .append, Self.one))
    board.beginCatchUp(isSnapshot: true)
    #expect(!board.receive(entry(Board.strokeType, #"{"point":[2,2]}"#, .append, Self.two, at: 7)))
    #expect(board.items().map(\.id) == [Self.one])
    board.endCatchUp()
    #expect(board.items().map(\.id) == [Self.two])
    board.beginCatchUp(isSnapshot: false)
    #expect(board.receive(entry(Board.strokeType, #"{"point":[3,3]}"#, .append, Self.one, at: 8)))
    board.endCatchUp()
    #expect(board.markCount == 2)
  }

  @Test("Terminal controls in texts from participants are removed from printed text, and escaped in JSON")
  func terminal() {
    let words = "a\u{1B}[2J\r\nb\u{9B}c\u{200E}\u{200F}\u{61C}\u{202E}d\u{2028}e\u{7F}é👩‍🚀\n"
    #expect(TextMark.line(words) == "a[2J bcd eé👩‍🚀")
    let json = "{\"a\":\"\u{7F}\u{9B}\u{61C}\u{200F}\u{2028}\u{202E}\u{2069}é👩‍🚀\"}"
    let escaped = #"{"a":"\u007f\u009b\u061c\u200f\u2028\u202e\u2069é👩‍🚀"}"#
    #expect(String(decoding: TailLine.escaped(Array(json.utf8)), as: UTF8.self) == escaped)
    let status = StatusLine(participants: ["A\nB"], notice: "c\nd\u{1B}")
    #expect(status.text == " connecting… · A B · 0 marks · c d")
  }

  @Test("Texts are split into lines, and control characters are removed")
  func texts() throws {
    let text = #"{"text":"ab\r\nc\u001b[2Jd\u202e","point":[10,20],"size":2,"rgb":"\#("#")ff0000","z":1}"#
    #expect(board.receive(entry(Board.textType, text, .replace)))
    guard case .mark(.text(let mark)) = try #require(board.items().first).content else {
      Issue.record("no text: \(board.items())")
      return
    }
    #expect(mark.lines == ["ab", "c[2Jd"])
    #expect(mark.size == 4)
    #expect(mark.color == RGB(0xFF0000))
    #expect(
      !board.receive(entry(Board.textType, #"{"text":" \n","point":[1,2],"size":20}"#, .replace, Self.two)))
  }

  @Test(
    "The position of a picture is in its metadata or in later messages; otherwise all clients derive it from the picture's id"
  )
  func pictures() throws {
    let metadata = Array(#"{"location":[100,50],"width":40,"height":20,"z":7}"#.utf8)
    let attachment = BoardAttachment(id: Self.one, name: "a.png", isPicture: true, metadata: metadata)
    board.receive([attachment])
    #expect(board.items().first?.box == PlaneBox(left: 80, top: 40, right: 120, bottom: 60))
    #expect(board.receive(entry(Board.placementType, #"{"location":[0,0]}"#, .replace)))
    #expect(board.items().first?.box == PlaneBox(left: -20, top: -10, right: 20, bottom: 10))
    #expect(board.receive(entry(Board.placementType, #"{"location":[0,0],"width":8,"height":6}"#, .replace)))
    #expect(board.items().first?.box == PlaneBox(left: -4, top: -3, right: 4, bottom: 3))
    #expect(board.receive(entry(Board.placementType, "", .remove)))
    #expect(board.items().first?.box?.left == 80)
    let id = try #require(UUID(uuidString: "0000000A-0000-0000-0000-000000000000"))
    board.receive([BoardAttachment(id: id, name: "b", isPicture: false, metadata: nil)])
    #expect(board.items().first?.box == PlaneBox(left: 180, top: 222, right: 460, bottom: 298), "a card")
    board.receive([BoardAttachment(id: id, name: "b", isPicture: true, metadata: nil)])
    #expect(board.items().first?.box == PlaneBox(left: 195, top: 135, right: 445, bottom: 385))
  }

  @Test(
    "A moved picture keeps the depth and size from its metadata, unless the move message has other values")
  func moved() throws {
    let metadata = Array(#"{"location":[1,1],"width":40,"height":20,"z":7}"#.utf8)
    board.receive([BoardAttachment(id: Self.one, name: "a.png", isPicture: true, metadata: metadata)])
    #expect(board.receive(entry(Board.placementType, #"{"location":[0,0]}"#, .replace)))
    #expect(board.items().first?.z == 7)
    #expect(board.receive(entry(Board.placementType, #"{"location":[0,0],"z":9}"#, .replace)))
    #expect(board.items().first?.z == 9)
  }

  private struct PaletteVectors: Decodable {
    struct Color: Decodable {
      let rgb: String
      let number: Int
    }

    let colors: [Color]
    let nearest: [Color]
  }

  @Test("A color is sent as the number of the nearest color in the palette")
  func palette() {
    let vectors: PaletteVectors = Vectors.load("palette")
    #expect(RGB.palette.map(\.description) == vectors.colors.map(\.rgb))
    for color in vectors.colors + vectors.nearest {
      #expect(RGB(color.rgb)?.nearestOfPalette == color.number)
    }
    #expect(RGB(0x2BA9E0).description == "#2ba9e0")
    #expect(RGB("#2BA9E0") == RGB(0x2BA9E0))
    #expect(RGB("#2BA9E") == nil)
    #expect(RGB("#+BA9E0") == nil)
  }

  @Test("A new item is placed within the plane, even if other items are at the edge of the plane")
  func freePositions() {
    #expect(board.freePosition() == PlanePoint(x: 100, y: 100))
    _ = board.receive(entry(Board.strokeType, #"{"point":[50,1000000]}"#, .replace, Self.one))
    #expect(board.freePosition() == PlanePoint(x: 100, y: 100))
    _ = board.receive(entry(Board.strokeType, #"{"point":[50,70],"width":12}"#, .replace, Self.two))
    #expect(board.freePosition() == PlanePoint(x: 44, y: 100))
    _ = board.receive(entry(Board.strokeType, #"{"point":[-1000000,80]}"#, .replace, UUID()))
    #expect(board.freePosition() == PlanePoint(x: 44, y: 100))
  }
}
