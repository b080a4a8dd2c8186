internal import FoundationEssentials
internal import Wire

/// A freehand line or a shape; both consist of points.
struct StrokeMark: Equatable, Sendable {
  /// The maximum number of points; further points are dropped.
  static let maximumPoints = 50_000
  private static let widths = 0.5...200.0

  var points: [PlanePoint]
  /// The pressure at each point, 0 to 1; empty if the device reports none.
  var pressures: [Double]
  var color: RGB
  var width: Double
  var isHighlighter: Bool
  /// The depth of the stroke on the board; nil if the message contains no depth.
  var z: UInt64?

  /// Parses an `UpsertStrokeMessage`; nil if it is malformed.
  init?(_ payload: [UInt8]) {
    guard let members = MarkMessage.members(payload) else { return nil }
    let listed =
      if case .array(let values)? = members["points"], !values.isEmpty { values } else { [members["point"]] }
    points = []
    points.reserveCapacity(min(listed.count, Self.maximumPoints))
    for value in listed.prefix(Self.maximumPoints) {
      guard let point = MarkMessage.point(value) else { return nil }
      points.append(point)
    }
    pressures = []
    if case .array(let values)? = members["pressures"], values.count == listed.count {
      let numbers = values.prefix(Self.maximumPoints).compactMap(MarkMessage.number)
      if numbers.count == points.count { pressures = numbers.map { min(1, max(0, $0)) } }
    }
    color = MarkMessage.color(members)
    let width = members["width"].flatMap(MarkMessage.number) ?? 3
    self.width = min(Self.widths.upperBound, max(Self.widths.lowerBound, width))
    isHighlighter = members["tool"] == .string("highlighter")
    z = MarkMessage.depth(members)
  }

  /// Appends the points of another message.
  mutating func append(_ more: StrokeMark) {
    let taken = more.points.prefix(max(0, Self.maximumPoints - points.count))
    if !pressures.isEmpty || !more.pressures.isEmpty {
      pressures += repeatElement(0.5, count: points.count - pressures.count)
      pressures += more.pressures.prefix(taken.count)
      pressures += repeatElement(0.5, count: points.count + taken.count - pressures.count)
    }
    points += taken
  }
}

/// A text on the board.
struct TextMark: Equatable, Sendable {
  /// The line height as a multiple of the font size, as in the page.
  static let lineHeight = 1.25
  /// The approximate width of a letter as a multiple of the font size.
  static let letterWidth = 0.55
  /// The maximum number of characters.
  static let maximumCharacters = 4000
  static let sizes = 4.0...1000.0

  var lines: [String]
  /// The upper left corner of the text.
  var corner: PlanePoint
  var size: Double
  var color: RGB
  var z: UInt64?

  /// Parses an `UpsertTextMessage`; nil if it is malformed or contains only white space.
  init?(_ payload: [UInt8]) {
    guard let members = MarkMessage.members(payload), case .string(let text)? = members["text"],
      let corner = MarkMessage.point(members["point"]), let size = members["size"].flatMap(MarkMessage.number)
    else { return nil }
    let clean = Self.clean(text)
    guard clean.contains(where: { !$0.isWhitespace }) else { return nil }
    lines = clean.split(separator: "\n", omittingEmptySubsequences: false).map { Self.line(String($0)) }
    self.corner = corner
    self.size = min(Self.sizes.upperBound, max(Self.sizes.lowerBound, size))
    color = MarkMessage.color(members)
    z = MarkMessage.depth(members)
  }

  /// The approximate bounding box.
  var box: PlaneBox {
    let widest = lines.map { Double(CellWidth.of($0)) }.max() ?? 0
    return PlaneBox(
      left: corner.x, top: corner.y, right: corner.x + widest * Self.letterWidth * size,
      bottom: corner.y + Double(lines.count) * Self.lineHeight * size)
  }

  /// Returns a text in one line that is safe for a terminal: cleaned, and without direction marks.
  static func line(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in clean(text).unicodeScalars {
      switch scalar.value {
      case 0x0A: scalars.append(" ")
      case 0x061C, 0x200E, 0x200F: continue
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// Returns a text that is safe for a board: without controls and direction overrides, and at most `limit` characters long.
  static func clean(_ text: String, limit: Int = maximumCharacters) -> String {
    var scalars = String.UnicodeScalarView()
    var count = 0
    var before: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      guard count < limit else { break }
      defer { before = scalar }
      switch scalar.value {
      case 0x0A where before == "\r": continue
      case 0x0D, 0x2028, 0x2029: scalars.append("\n")
      case 0x09: scalars.append(contentsOf: "  ".unicodeScalars)
      case 0x0A: scalars.append(scalar)
      case 0x00..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: continue
      default: scalars.append(scalar)
      }
      count += 1
    }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(scalars)
  }
}

/// The common members of mark messages. Malformed members are treated as missing.
enum MarkMessage {
  /// The largest exact integer in JSON.
  static let maximumDepth: UInt64 = (1 << 53) - 1

  static func members(_ payload: [UInt8]) -> [String: JSONValue]? {
    do throws(WireError) {
      guard case .object(let members) = try JSONParser.parse(payload.span) else { return nil }
      return members
    } catch {
      return nil
    }
  }

  static func number(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    case .number(let number): number.isFinite ? number : nil
    default: nil
    }
  }

  /// Returns the point with the coordinates in a JSON array of two numbers; nil for other values, and for points outside the
  /// board.
  static func point(_ value: JSONValue?) -> PlanePoint? {
    guard case .array(let values)? = value, values.count == 2, let x = number(values[0]),
      let y = number(values[1])
    else { return nil }
    let point = PlanePoint(x: x, y: y)
    return point.isOnPlane ? point : nil
  }

  /// Returns the color: `rgb` has precedence over the number of a palette color.
  static func color(_ members: [String: JSONValue]) -> RGB {
    if case .string(let text)? = members["rgb"], let color = RGB(text) { return color }
    guard case .integer(let number)? = members["color"], let index = Int(exactly: number),
      RGB.palette.indices.contains(index)
    else { return RGB.palette[0] }
    return RGB.palette[index]
  }

  static func depth(_ members: [String: JSONValue]) -> UInt64? {
    guard case .integer(let z)? = members["z"], z >= 0, z <= maximumDepth else { return nil }
    return UInt64(z)
  }
}
