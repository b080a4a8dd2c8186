import FoundationEssentials
import SessionClient
import Wire

/// Decodes the entries of one message type for one iterator of a `Messages` sequence.
///
/// An entry usually contains one message. Stroke messages of the web page are an exception: if `Message` has room for only one
/// point, a `StrokeBatchSplitter` divides such an entry into one message for each point.
struct MessageDecoder<Message: Codable>: Sendable {
  private var splitter: StrokeBatchSplitter?
  private let decoder = JSONDecoder()

  /// Creates a decoder for one sequence.
  ///
  /// - Parameters:
  ///   - type: the name of the message type on the wire.
  ///   - sentPoints: the stroke points that this program has sent itself.
  init(type: String, sentPoints: SentStrokePoints) {
    let isStroke = type == StrokeBatchSplitter.messageType && Message.self != Data.self
    splitter = isStroke ? StrokeBatchSplitter(sentPoints: sentPoints) : nil
  }

  /// Decodes an entry and returns its first message; `next` returns the further messages. Returns nil for a payload that is not a
  /// `Message`.
  mutating func decode(_ entry: ReceivedEntry) -> (Message, Participant)? {
    let source = Participant(id: entry.source.id)
    guard Message.self != Data.self else {
      return (Data(entry.payload) as? Message).map { ($0, source) }
    }
    guard !entry.flags.contains(.sealed), let message = decode(entry.payload) else { return nil }
    if splitter?.begin(entry, from: source, encodedMembers: Self.members(of: message)) == true {
      return next()
    }
    return (message, source)
  }

  /// Returns the next message of the entry that was decoded last; nil if the entry has no more.
  mutating func next() -> (Message, Participant)? {
    guard let (payload, source) = splitter?.nextPayload() else { return nil }
    guard let message = decode(payload) else {
      // After one invalid point, the rest of the batch is dropped. Otherwise, a batch of invalid points would cost as much time
      // as a batch of valid points. The web page never sends an invalid point.
      splitter?.discardBatch()
      return nil
    }
    return (message, source)
  }

  /// Returns true when the reader should let other tasks run: once for each mebibyte of a batch.
  mutating func needsPause() -> Bool {
    splitter?.needsPause() ?? false
  }

  private func decode(_ payload: [UInt8]) -> Message? {
    // A payload that cannot be decoded is not an error, because it may be a message of another program.
    try? decoder.decode(Message.self, from: Data(payload))
  }

  /// The JSON members that `Message` encodes.
  private static func members(of message: Message) -> [String: JSONValue] {
    // A message that cannot be encoded has no members.
    guard let encoded = try? JSONEncoder().encode(message),
      case .object(let members)? = try? JSONParser.parse([UInt8](encoded).span)
    else { return [:] }
    return members
  }
}
