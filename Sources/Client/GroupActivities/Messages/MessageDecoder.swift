import SessionClient
import FoundationEssentials
import Wire

/// Reads the messages of one type out of what came under its name.
///
/// A page sends a stroke in batches: `points` are all since its last message, `point` is the last of them, and when the
/// stroke ends it replaces all with one that holds the whole. A type that knows only `point`, as that of Apple's sample,
/// is given one message for each point, and of a replacement only those that it was not given before: a model that
/// appends points holds the same stroke as the page.
struct MessageDecoder<Message: Codable>: Sendable {
  private struct Batch: Sendable {
    let source: Participant
    var members: [String: JSONValue]
    /// What all members but the point count, in bytes as JSON.
    let weight: Int
    var points: ArraySlice<JSONValue>
  }
  /// So many bytes of a batch are decoded without a pause: all points of any stroke that a page draws by hand.
  static var pauseBytes: Int { 1 << 20 }
  private let ownPoints: @Sendable (EntryKey) -> Int
  private var batch: Batch?
  /// How many points were given of what is under a key.
  private var given = RecentTable<EntryKey, Int>(limit: 16_384)
  /// What was decoded of batches since the last pause, in bytes.
  private var decodedBytes = 0
  /// Whether the type itself has `points`; not known before the first message that does.
  private var hasPoints: Bool?
  private let decoder = JSONDecoder()

  /// A reader of one sequence.
  ///
  /// - Parameter ownPoints: how many points this program itself has sent under a key; it holds those.
  init(ownPoints: @escaping @Sendable (EntryKey) -> Int) {
    self.ownPoints = ownPoints
  }

  /// The next message of a batch that was begun.
  mutating func next() -> (Message, Participant)? {
    guard let point = batch?.points.popFirst(), var current = batch else {
      batch = nil
      return nil
    }
    current.members["point"] = point
    decodedBytes += current.weight
    // One point that is none is the end: nobody's page sends such, and each costs as much as a good one.
    guard let message = decode(WireJSON.encode(JSONValue.object(current.members))) else {
      batch = nil
      return nil
    }
    return (message, current.source)
  }

  /// Whether whoever reads is to let others run first; once for every mebibyte of a batch that was decoded.
  mutating func wantsPause() -> Bool {
    guard decodedBytes >= Self.pauseBytes else { return false }
    decodedBytes = 0
    return true
  }

  /// Takes what came; its messages are those that `next` gives. What is no such message gives none.
  mutating func take(_ entry: ReceivedEntry) -> (Message, Participant)? {
    let source = Participant(id: entry.source.id)
    guard Message.self != Data.self else {
      return (Data(entry.payload) as? Message).map { ($0, source) }
    }
    guard !entry.flags.contains(.sealed), let message = decode(entry.payload) else { return nil }
    if hasPoints != true, let members = Self.batch(entry.payload),
      case .array(let points)? = members["points"]
    {
      let written = Self.members(of: message)
      if hasPoints == nil { hasPoints = written["points"] != nil }
      if hasPoints == false {
        // What the type does not write it does not read: to decode it anew for each point would cost without end.
        begin(members.filter { written[$0.key] != nil }, points, of: entry, from: source)
        return next()
      }
    }
    if entry.key != .zero, hasPoints != true, entry.payload.contains(text: "\"point\"") {
      given[entry.key, default: 0] += 1
    }
    return (message, source)
  }

  private mutating func begin(
    _ members: [String: JSONValue], _ points: [JSONValue], of entry: ReceivedEntry, from source: Participant
  ) {
    var left = points[...]
    if entry.flags.retention == .replace {
      let known = given[entry.key, default: 0] + ownPoints(entry.key)
      left = points.dropFirst(known)
    }
    if entry.key != .zero { given[entry.key, default: 0] += left.count }
    let weight = WireJSON.encode(JSONValue.object(members)).count
    batch = Batch(source: source, members: members, weight: weight, points: left)
  }

  private func decode(_ payload: [UInt8]) -> Message? {
    // What is no such message is none for this sequence: others may understand it.
    try? decoder.decode(Message.self, from: Data(payload))
  }

  /// The members of a message with `point` and `points`; nil for any other.
  private static func batch(_ payload: [UInt8]) -> [String: JSONValue]? {
    guard payload.contains(text: "\"points\""), payload.contains(text: "\"point\""),
      // What is no JSON is no batch.
      case .object(let members)? = try? JSONParser.parse(payload.span), members["point"] != nil
    else { return nil }
    return members
  }

  /// The members that a message is written with.
  private static func members(of message: Message) -> [String: JSONValue] {
    // What cannot be written again has shown none.
    guard let again = try? JSONEncoder().encode(message),
      case .object(let members)? = try? JSONParser.parse([UInt8](again).span)
    else { return [:] }
    return members
  }
}

extension [UInt8] {
  /// Whether those bytes stand somewhere in it.
  func contains(text: StaticString) -> Bool {
    let sought = Array(text.description.utf8)
    guard count >= sought.count else { return false }
    var start = 0
    while let first = self[start...].firstIndex(of: sought[0]), first + sought.count <= count {
      if self[first..<first + sought.count].elementsEqual(sought) { return true }
      start = first + 1
    }
    return false
  }
}

/// How many points a stroke's message adds: all of `points`, else the one of `point`.
enum StrokePoints {
  /// The number in a payload as it is sent; 0 for what is no stroke.
  static func count(_ payload: [UInt8]) -> Int {
    guard payload.contains(text: "\"point\"") else { return 0 }
    guard payload.contains(text: "\"points\""),
      case .object(let members)? = try? JSONParser.parse(payload.span),
      case .array(let points)? = members["points"]
    else { return 1 }
    return points.count
  }
}
