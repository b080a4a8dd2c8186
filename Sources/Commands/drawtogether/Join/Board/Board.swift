internal import FoundationEssentials

/// The content of the board, built from the messages of the session.
struct Board {
  /// A stroke or a text.
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

  /// A mark or a picture, with its position in the stacking order.
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

  /// The retained messages, by key.
  private struct Content {
    var marks: [UUID: (mark: Mark, z: UInt64)] = [:]
    var placements: [UUID: Placement] = [:]
  }

  private var content = Content()
  /// The content that the present snapshot has delivered so far; nil while no snapshot is being received. The old content stays
  /// visible until the snapshot is complete.
  private var incoming: Content?
  private var attachments: [BoardAttachment] = []
  private var order: [Item]?
  /// The highest received sequence.
  private(set) var lastSequence: UInt64 = 0
  private var highestZ: UInt64 = 0

  /// The number of strokes, texts and shapes.
  var markCount: Int { content.marks.count }
  /// The number of pictures and files.
  var attachmentCount: Int { attachments.count }
  /// The depth above all items (at most 2⁵³ − 1).
  var nextZ: UInt64 { min(MarkMessage.maximumDepth, max(highestZ, lastSequence) + 1) }

  /// Starts a catch-up. A snapshot replaces the whole content.
  mutating func beginCatchUp(isSnapshot: Bool) {
    incoming = isSnapshot ? Content() : nil
  }

  /// Ends the catch-up.
  mutating func endCatchUp() {
    if let incoming { content = incoming }
    incoming = nil
    order = nil
  }

  /// Applies a message of the session. Returns true if the visible content changed.
  mutating func receive(_ entry: BoardEntry) -> Bool {
    lastSequence = max(lastSequence, entry.sequence)
    guard let key = entry.key, entry.retention != .none else { return false }
    var space = incoming ?? content
    // Only one variable refers to the content at a time, because otherwise each message would copy the whole content.
    if incoming == nil { content = Content() } else { incoming = Content() }
    let changed = Self.apply(entry, key, to: &space)
    if changed, let mark = space.marks[key] { highestZ = max(highestZ, mark.z) }
    if changed, let z = space.placements[key]?.z { highestZ = max(highestZ, z) }
    guard incoming == nil else {
      incoming = space
      return false
    }
    content = space
    if changed { order = nil }
    return changed
  }

  /// Replaces the list of files and pictures.
  mutating func receive(_ attachments: [BoardAttachment]) {
    self.attachments = attachments
    for attachment in attachments {
      if let z = attachment.metadata.flatMap(Placement.init)?.z { highestZ = max(highestZ, z) }
    }
    order = nil
  }

  private static func apply(_ entry: BoardEntry, _ key: UUID, to space: inout Content) -> Bool {
    switch (entry.type, entry.retention) {
    case (_, .remove):
      let mark = space.marks.removeValue(forKey: key)
      let placement = space.placements.removeValue(forKey: key)
      return mark != nil || placement != nil
    case (strokeType, let retention):
      guard let stroke = StrokeMark(entry.payload) else { return false }
      if retention == .append, let before = space.marks[key] {
        // Points are appended to strokes only.
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

  /// Returns all visible items, from bottom to top.
  mutating func items() -> [Item] {
    if let order { return order }
    var items = content.marks.map { Item(id: $0.key, z: $0.value.z, content: .mark($0.value.mark)) }
    for attachment in attachments {
      let added = attachment.metadata.flatMap(Placement.init)
      let placement =
        content.placements[attachment.id]?.completed(by: added) ?? added
        ?? Placement(fallbackFor: attachment.id)
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
  /// Returns the position for a new item: below all items in the inner half of the plane. Items further out are ignored, because
  /// there may be no room below them.
  mutating func freePosition() -> PlanePoint {
    let half = PlanePoint.reach / 2
    let inner = PlaneBox(left: -half, top: -half, right: half, bottom: half)
    let boxes = items().compactMap(\.box).filter { inner.contains($0) }
    guard let first = boxes.first else { return PlanePoint(x: 100, y: 100) }
    let box = boxes.reduce(first) { $0.union($1) }
    return PlanePoint(x: box.left, y: box.bottom + 24).rounded
  }
}

extension Board.Item {
  /// The bounding box of the item; nil if the item has no points.
  var box: PlaneBox? {
    switch content {
    case .mark(.stroke(let stroke)): PlaneBox.around(stroke.points)?.widened(by: stroke.width / 2)
    case .mark(.text(let text)): text.box
    case .picture(_, let box): box
    }
  }
}
