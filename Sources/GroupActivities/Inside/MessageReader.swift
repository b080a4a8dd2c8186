import Client
import FoundationEssentials
import Wire

/// Reads the messages of one type out of what came under its name.
///
/// A page sends a stroke in batches: `points` are all since its last message, `point` is the last of them, and when the
/// stroke ends it replaces all with one that holds the whole. A type that knows only `point`, as that of Apple's sample,
/// is given one message for each point, and of a replacement only those that it was not given before: a model that
/// appends points holds the same stroke as the page.
struct MessageReader<Message: Codable> {
  private struct Batch {
    let source: Participant
    var members: [String: JSONValue]
    var points: ArraySlice<JSONValue>
  }
  private let ownPoints: @Sendable (EntryKey) -> Int
  private var batch: Batch?
  /// How many points were given of what is under a key.
  private var given: [EntryKey: Int] = [:]
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
    while var current = batch {
      guard let point = current.points.popFirst() else {
        batch = nil
        return nil
      }
      batch = current
      current.members["point"] = point
      if let message = decode(WireJSON.encode(JSONValue.object(current.members))) {
        return (message, current.source)
      }
    }
    return nil
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
      if hasPoints == nil { hasPoints = Self.writesPoints(message) }
      if hasPoints == false {
        begin(members, points, of: entry, from: source)
        return next()
      }
    }
    if entry.key != .zero, hasPoints != true { given[entry.key, default: 0] += 1 }
    return (message, source)
  }

  private mutating func begin(
    _ members: [String: JSONValue], _ points: [JSONValue], of entry: ReceivedEntry, from source: Participant
  ) {
    var members = members
    members["points"] = nil
    members["pressures"] = nil
    var left = points[...]
    if entry.flags.retention == .replace {
      let known = given[entry.key, default: 0] + ownPoints(entry.key)
      left = points.dropFirst(known)
    }
    if entry.key != .zero { given[entry.key, default: 0] += left.count }
    batch = Batch(source: source, members: members, points: left)
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

  private static func writesPoints(_ message: Message) -> Bool {
    // What cannot be written again has shown no `points`.
    guard let again = try? JSONEncoder().encode(message),
      case .object(let members)? = try? JSONParser.parse([UInt8](again).span)
    else { return false }
    return members["points"] != nil
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
