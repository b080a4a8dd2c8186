/// What an SVG shows, as lines and words that a page of the activity can hold.
struct SVGDrawing: Equatable, Sendable {
  /// A line of it; in the drawing's own points.
  struct Line: Equatable, Sendable {
    /// One subpath each.
    var points: [PlanePoint]
    var color: RGB
    var width: Double
  }

  /// Words of it, in one line.
  struct Words: Equatable, Sendable {
    var text: String
    /// Where its letters stand, at their left.
    var baseline: PlanePoint
    var size: Double
    var color: RGB
  }

  /// A line or words, in the order in which they lie upon each other.
  enum Item: Equatable, Sendable {
    case line(Line)
    case words(Words)
  }

  /// All lines together have no more points than these.
  static let maximumPoints = 2_000_000
  /// Nor are there more lines and words than these.
  static let maximumItems = 100_000

  var items: [Item] = []
  /// What is there and cannot be drawn by lines, by the element's name: how many.
  var leftOut: [String: Int] = [:]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: the SVG, in UTF-8.
  ///   - width: how wide it shall be in the end; nil for what the file says.
  ///   - origin: where its upper left corner shall be.
  /// - Returns: the drawing there, flattened finer than a screen shows.
  /// - Throws: `SVGError`, with the line.
  static func read(
    _ bytes: [UInt8], width: Double? = nil, at origin: PlanePoint = PlanePoint(x: 0, y: 0)
  ) throws(SVGError) -> SVGDrawing {
    let root: MarkupElement
    do throws(MarkupError) {
      root = try MarkupReader.read(bytes)
    } catch {
      throw .markup(error)
    }
    guard root.name == "svg" else { throw .notSVG(root.name, line: root.line) }
    return try SVGWalk.drawing(of: root, width: width, at: origin)
  }

  /// The box around all of it, without the width of the lines; nil for nothing.
  var bounds: PlaneBox? {
    items.reduce(nil) { box, item in
      let one: PlaneBox? =
        switch item {
        case .line(let line): .around(line.points)
        case .words(let words):
          PlaneBox(
            left: words.baseline.x, top: words.baseline.y - words.size,
            right: words.baseline.x + TextMark.letter * words.size * Double(words.text.count),
            bottom: words.baseline.y + words.size / 4)
        }
      guard let box, let one else { return box ?? one }
      return box.union(one)
    }
  }
}

/// Why a file is no SVG that can be drawn: one clause for a person.
enum SVGError: Error, Equatable, CustomStringConvertible {
  case markup(MarkupError)
  /// XML of another kind.
  case notSVG(String, line: Int)
  /// A path's data that is none.
  case path(SVGPathData.Fault, line: Int)
  /// An attribute that is not what it should be.
  case attribute(String, of: String, value: String, line: Int)
  /// More points than a drawing may have.
  case tooManyPoints(limit: Int)
  /// More lines and words than that.
  case tooManyItems(limit: Int)
  /// More elements than that, what is used counted as often as it is.
  case tooManyVisits(limit: Int)
  /// Elements within elements, deeper than that, once what is used is in its place.
  case nestedTooDeep(limit: Int, line: Int)
  /// Elements that use each other, deeper than that.
  case usesTooDeep(limit: Int, line: Int)
  /// There is nothing that lines can show; what else is there.
  case nothing([String: Int])
  /// A part would be beyond the plane.
  case beyondPlane

  var description: String {
    switch self {
    case .markup(let error): return "\(error)"
    case .notSVG(let name, let line): return "line \(line): <\(name)> is no <svg>"
    case .path(let fault, let line): return "line \(line): \(fault)"
    case .attribute(let name, let element, let value, let line):
      return "line \(line): \(name)=\"\(value.prefix(40))\" of <\(element)> cannot be read"
    case .tooManyPoints(let limit):
      return "it has more than \(limit) points once its curves are lines, the limit"
    case .tooManyItems(let limit): return "it has more than \(limit) lines, the limit"
    case .tooManyVisits(let limit):
      return "it has more than \(limit) elements once what <use> leads to is in its place, the limit"
    case .nestedTooDeep(let limit, let line):
      return "line \(line): what <use> leads to is nested more than \(limit) deep in its place, the limit"
    case .usesTooDeep(let limit, let line):
      return "line \(line): <use> leads to <use> more than \(limit) times, the limit"
    case .nothing(let leftOut) where leftOut.isEmpty: return "there is nothing to draw in it"
    case .nothing(let leftOut):
      return "there is nothing to draw in it but \(Self.words(leftOut)), which are no lines"
    case .beyondPlane: return "a part of it would be beyond ±1000000, where the canvas ends"
    }
  }

  /// `2 <image>, 1 <mask>`.
  static func words(_ leftOut: [String: Int]) -> String {
    leftOut.sorted { $0.key < $1.key }.map { "\($0.value) <\($0.key)>" }.joined(separator: ", ")
  }
}
