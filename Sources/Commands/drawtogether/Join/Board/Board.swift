internal import FoundationEssentials

/// What is on the page, as the session tells it.
struct Board {
  /// Something that is drawn.
  enum Mark: Equatable, Sendable {
    case stroke(StrokeMark)
    case text(TextMark)

    var z: UInt64? {
      switch self {
      case .stroke(let stroke): stroke.z
      case .text(let text): text.z
      }
    }
  }

  /// A mark or a picture, and where it is in the order from the bottom to the top.
  struct Item {
    enum Content {
      case mark(Mark)
      case picture(name: String, PlaneBox)
    }

    let id: UUID
    let z: UInt64
    let content: Content
  }

  static let strokeType = "UpsertStrokeMessage"
  static let textType = "UpsertTextMessage"
  static let placementType = "ImagePlacementMessage"

  /// What the session keeps, by key.
  private struct Held {
    var marks: [UUID: (mark: Mark, z: UInt64)] = [:]
    var placements: [UUID: Placement] = [:]
  }

  private var held = Held()
  /// The same while it is told anew: what was there before is seen until all of it is there.
  private var incoming: Held?
  private var attachments: [BoardAttachment] = []
  private var order: [Item]?
  /// The highest sequence that was told.
  private(set) var lastSequence: UInt64 = 0
  private var highestZ: UInt64 = 0

  /// How many strokes, texts and shapes there are.
  var markCount: Int { held.marks.count }
  /// How many pictures and files.
  var attachmentCount: Int { attachments.count }
  /// What is drawn over all that is there (at most 2⁵³ − 1).
  var nextZ: UInt64 { min(MarkMessage.maximumDepth, max(highestZ, lastSequence) + 1) }

  /// A catch-up begins; with a snapshot all is told anew.
  mutating func beginCatchUp(isSnapshot: Bool) {
    incoming = isSnapshot ? Held() : nil
  }

  /// The catch-up is at its end.
  mutating func endCatchUp() {
    if let incoming { held = incoming }
    incoming = nil
    order = nil
  }

  /// A message of the session; returns whether anything is different for who looks.
  mutating func receive(_ entry: BoardEntry) -> Bool {
    lastSequence = max(lastSequence, entry.sequence)
    guard let key = entry.key, entry.retention != .none else { return false }
    var space = incoming ?? held
    // One owner at a time, or each message would copy everything.
    if incoming == nil { held = Held() } else { incoming = Held() }
    let isDifferent = Self.apply(entry, key, to: &space)
    if isDifferent, let held = space.marks[key] { highestZ = max(highestZ, held.z) }
    if isDifferent, let z = space.placements[key]?.z { highestZ = max(highestZ, z) }
    guard incoming == nil else {
      incoming = space
      return false
    }
    held = space
    if isDifferent { order = nil }
    return isDifferent
  }

  /// All files and pictures that there are now.
  mutating func receive(_ attachments: [BoardAttachment]) {
    self.attachments = attachments
    for attachment in attachments {
      if let z = attachment.metadata.flatMap(Placement.init)?.z { highestZ = max(highestZ, z) }
    }
    order = nil
  }

  private static func apply(_ entry: BoardEntry, _ key: UUID, to space: inout Held) -> Bool {
    switch (entry.type, entry.retention) {
    case (_, .remove):
      let mark = space.marks.removeValue(forKey: key)
      let placement = space.placements.removeValue(forKey: key)
      return mark != nil || placement != nil
    case (strokeType, let retention):
      guard let stroke = StrokeMark(entry.payload) else { return false }
      if retention == .append, let before = space.marks[key] {
        // What is no stroke stays what it is.
        guard case .stroke(var longer) = before.mark else { return false }
        space.marks[key] = nil
        longer.append(stroke)
        space.marks[key] = (.stroke(longer), before.z)
      } else {
        space.marks[key] = (.stroke(stroke), stroke.z ?? entry.sequence)
      }
      return true
    case (textType, .replace):
      guard let text = TextMark(entry.payload) else { return false }
      space.marks[key] = (.text(text), text.z ?? entry.sequence)
      return true
    case (placementType, .replace):
      guard let placement = Placement(entry.payload) else { return false }
      space.placements[key] = placement
      return true
    default:
      return false
    }
  }

  /// All that is seen, what lies lower first.
  mutating func items() -> [Item] {
    if let order { return order }
    var items = held.marks.map { Item(id: $0.key, z: $0.value.z, content: .mark($0.value.mark)) }
    for attachment in attachments {
      let added = attachment.metadata.flatMap(Placement.init)
      let placement =
        held.placements[attachment.id]?.completed(by: added) ?? added ?? Placement(madeUpFor: attachment.id)
      items.append(
        Item(
          id: attachment.id, z: placement.z ?? 0,
          content: .picture(name: attachment.name, placement.box(isPicture: attachment.isPicture))))
    }
    items.sort { $0.z == $1.z ? $0.id.uuidString < $1.id.uuidString : $0.z < $1.z }
    order = items
    return items
  }
}

extension Board {
  /// Where something new is put: below all that there is in the inner half of the plane, so that there is room for it, whoever
  /// drew beyond.
  mutating func freePlace() -> PlanePoint {
    let half = PlanePoint.reach / 2
    let inner = PlaneBox(left: -half, top: -half, right: half, bottom: half)
    let boxes = items().compactMap(\.box).filter { inner.contains($0) }
    guard let first = boxes.first else { return PlanePoint(x: 100, y: 100) }
    let box = boxes.reduce(first) { $0.union($1) }
    return PlanePoint(x: box.left, y: box.bottom + 24).rounded
  }
}

extension Board.Item {
  /// What it covers.
  var box: PlaneBox? {
    switch content {
    case .mark(.stroke(let stroke)): PlaneBox.around(stroke.points)?.widened(by: stroke.width / 2)
    case .mark(.text(let text)): text.box
    case .picture(_, let box): box
    }
  }
}
