import FoundationEssentials
import Platform
import SessionClient
import Wire

/// Divides the stroke messages of the web page for message types that can hold only one point.
///
/// This is the only part of the library that depends on a specific activity (drawing). The web page sends a stroke as messages of
/// the type `UpsertStrokeMessage` (Wire's article on the drawing activity): `points` has all points since the previous message,
/// and `point` is the last of them. When a stroke is finished, the page sends the whole stroke once more, with the retention
/// `replace`. The message type of Apple's sample has `point` only, and its model appends that point to the stroke. Apple's sample
/// must work with the page unchanged. So the splitter creates one message for each point if the message type has only `point`.
/// From a whole stroke, it creates messages only for the points that the program does not have yet. For a message type that has
/// `points`, the messages stay unchanged.
struct StrokeBatchSplitter: Sendable {
  /// The name of the page's stroke messages. Messages of any other type are never divided.
  static let messageType = "UpsertStrokeMessage"
  /// The number of bytes that are decoded between two pauses, in which other tasks may run. A stroke drawn by hand is smaller.
  static let pauseBytes = 1 << 20

  private struct Batch: Sendable {
    let source: Participant
    var members: [String: JSONValue]
    /// The size of one point's message, in bytes of JSON.
    let messageBytes: Int
    var points: ArraySlice<JSONValue>
  }
  private let sentPoints: SentStrokePoints
  private var batch: Batch?
  /// The number of points that the sequence of messages has delivered under each key.
  private var deliveredPoints = RecentTable<EntryKey, Int>(limit: 16_384)
  private var bytesSincePause = 0
  /// True if the message type has `points`; nil before the first batch.
  private var hasPoints: Bool?

  /// Creates a splitter for one `AsyncSequence` of messages.
  ///
  /// - Parameter sentPoints: the number of points that this program has sent under each key. The program's model already contains
  ///   these points.
  init(sentPoints: SentStrokePoints) {
    self.sentPoints = sentPoints
  }

  /// Begins to divide an entry whose payload is a valid message.
  ///
  /// - Parameters:
  ///   - entry: the entry.
  ///   - source: its sender.
  ///   - encodedMembers: the JSON members that the message type encodes.
  /// - Returns: true if `nextPayload` returns the messages of the entry; false if the entry is one message.
  mutating func begin(
    _ entry: ReceivedEntry, from source: Participant, encodedMembers: @autoclosure () -> [String: JSONValue]
  ) -> Bool {
    guard hasPoints != true else { return false }
    if let members = Self.batch(entry.payload), case .array(let points)? = members["points"] {
      let encoded = encodedMembers()
      let hasPoints = hasPoints ?? (encoded["points"] != nil)
      self.hasPoints = hasPoints
      guard !hasPoints else { return false }
      // The splitter omits JSON members that the message type does not have. Otherwise, they would be parsed again in the message
      // of each point.
      begin(members.filter { encoded[$0.key] != nil }, points, of: entry, from: source)
      return true
    }
    if entry.key != .zero, entry.payload.contains(text: "\"point\"") {
      deliveredPoints[entry.key, default: 0] += 1
    }
    return false
  }

  private mutating func begin(
    _ members: [String: JSONValue], _ points: [JSONValue], of entry: ReceivedEntry, from source: Participant
  ) {
    var newPoints = points[...]
    if entry.flags.retention == .replace {
      newPoints = points.dropFirst(deliveredPoints[entry.key, default: 0] + sentPoints[entry.key])
    }
    if entry.key != .zero { deliveredPoints[entry.key, default: 0] += newPoints.count }
    let messageBytes = WireJSON.encode(JSONValue.object(members)).count
    batch = Batch(source: source, members: members, messageBytes: messageBytes, points: newPoints)
  }

  /// Returns the JSON of the next point's message, and the sender; nil if the batch has no further points.
  mutating func nextPayload() -> ([UInt8], Participant)? {
    guard let point = batch?.points.popFirst(), var current = batch else {
      batch = nil
      return nil
    }
    current.members["point"] = point
    bytesSincePause += current.messageBytes
    return (WireJSON.encode(JSONValue.object(current.members)), current.source)
  }

  /// Drops the rest of the batch.
  mutating func discardBatch() {
    batch = nil
  }

  /// Returns true when the messages returned since the last pause have at least `pauseBytes` bytes in total.
  mutating func needsPause() -> Bool {
    guard bytesSincePause >= Self.pauseBytes else { return false }
    bytesSincePause = 0
    return true
  }

  /// The JSON members of a message that has `point` and `points`; nil for any other message.
  private static func batch(_ payload: [UInt8]) -> [String: JSONValue]? {
    guard payload.contains(text: "\"points\""), payload.contains(text: "\"point\""),
      // A payload that is not JSON is not a batch.
      case .object(let members)? = try? JSONParser.parse(payload.span), members["point"] != nil
    else { return nil }
    return members
  }
}

/// The number of stroke points that this program has sent under each key.
final class SentStrokePoints: Sendable {
  private let counts = Guarded(RecentTable<EntryKey, Int>(limit: 16_384))

  /// The number of points sent under a key.
  subscript(key: EntryKey) -> Int {
    counts.withLock { $0[key] ?? 0 }
  }

  /// Adds the points of a stroke message that was accepted for sending to the count under the message's key. A message with the
  /// retention `replace` sets the count.
  func record(_ entry: OutgoingEntry) {
    guard entry.type == StrokeBatchSplitter.messageType,
      entry.retention == .append || entry.retention == .replace
    else { return }
    let count = Self.count(entry.payload)
    guard count > 0 else { return }
    counts.withLock { counts in
      counts[entry.key] = (entry.retention == .append ? counts[entry.key, default: 0] : 0) + count
    }
  }

  /// The number of points in a payload: all of `points`, or else one for `point`; 0 for a payload that is not a stroke.
  private static func count(_ payload: [UInt8]) -> Int {
    guard payload.contains(text: "\"point\"") else { return 0 }
    guard payload.contains(text: "\"points\""),
      case .object(let members)? = try? JSONParser.parse(payload.span),
      case .array(let points)? = members["points"]
    else { return 1 }
    return points.count
  }
}
