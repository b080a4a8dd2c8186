internal import FoundationEssentials
internal import Wire

/// A line drawn by hand, or a shape: to who sees it both are points.
struct StrokeMark: Equatable, Sendable {
  /// However much is appended to it, it has no more points than this.
  static let maximumPoints = 50_000
  private static let widths = 0.5...200.0

  var points: [PlanePoint]
  /// 0 to 1, as many as points; empty where the device knows none.
  var pressures: [Double]
  var color: RGB
  var width: Double
  var isHighlighter: Bool
  /// Its depth; nil when the message says none.
  var z: UInt64?

  /// Reads an `UpsertStrokeMessage`; nil for what is none.
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

  /// Goes on with what another message says.
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

/// Words on the board.
struct TextMark: Equatable, Sendable {
  /// From line to line, in sizes of the type, as the page sets it.
  static let line = 1.25
  /// About as wide is a letter, in sizes of the type.
  static let letter = 0.55
  /// Characters in all.
  static let maximumCharacters = 4000
  static let sizes = 4.0...1000.0

  var lines: [String]
  /// The upper left corner.
  var corner: PlanePoint
  var size: Double
  var color: RGB
  var z: UInt64?

  /// Reads an `UpsertTextMessage`; nil for what is none, and for one without a letter.
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

  /// About what it covers.
  var box: PlaneBox {
    let widest = lines.map { Double(CellWidth.of($0)) }.max() ?? 0
    return PlaneBox(
      left: corner.x, top: corner.y, right: corner.x + widest * Self.letter * size,
      bottom: corner.y + Double(lines.count) * Self.line * size)
  }

  /// A text of anybody's as a terminal may show it in one line: clean, and without the marks of direction that a board has.
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

  /// A text as it may be on a board: without controls and what turns the direction of all that follows, and not too long.
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

/// What marks on the wire have in common; members that are not what they should be count as missing.
enum MarkMessage {
  /// No number of JSON is exact beyond it.
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

  /// A point of the plane.
  static func point(_ value: JSONValue?) -> PlanePoint? {
    guard case .array(let values)? = value, values.count == 2, let x = number(values[0]),
      let y = number(values[1])
    else { return nil }
    let point = PlanePoint(x: x, y: y)
    return point.isOnPlane ? point : nil
  }

  /// `rgb` goes before the number of one of the palette.
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
