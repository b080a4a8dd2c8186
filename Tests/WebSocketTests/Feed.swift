import WebSocket

/// An event of a `MessageReader`; the pieces of a message are joined to one event.
enum FeedEvent: Equatable, Sendable {
  case message(MessageKind, [UInt8])
  case ping([UInt8])
  case pong([UInt8])
  case close(CloseCode?, String)
}

/// The events of a reader, and its error.
struct Outcome: Equatable, Sendable {
  var events: [FeedEvent] = []
  var error: ProtocolError?
  /// The number of bytes that the reader had received when it failed.
  var fedBytes = 0
}

/// Passes bytes to a reader in parts, as a reactor does: each part is somewhere in a shared buffer.
struct Feed {
  var reader: MessageReader
  let inflater: Inflater?
  private(set) var outcome = Outcome()
  private(set) var pieces = 0
  private var collected: [UInt8] = []
  private var isOpen = false

  init(_ reader: MessageReader, inflater: Inflater? = nil) {
    self.reader = reader
    self.inflater = inflater
  }

  mutating func feed(_ part: some Collection<UInt8>) {
    guard outcome.error == nil else { return }
    var buffer: [UInt8] = [0xAA, 0xBB, 0xCC] + part + [0xDD, 0xEE]
    var position = 3
    let end = 3 + part.count
    outcome.fedBytes += part.count
    do throws(ProtocolError) {
      while let event = try reader.next(in: &buffer, at: &position, upTo: end, inflater: inflater) {
        receive(event, in: buffer)
      }
      precondition(position == end, "if the reader returns no event, it has read all bytes")
      precondition(
        Array(buffer[..<3]) == [0xAA, 0xBB, 0xCC] && Array(buffer[end...]) == [0xDD, 0xEE],
        "what lies around is left alone")
    } catch {
      outcome.error = error
    }
  }

  private mutating func receive(_ event: MessageReader.Event, in buffer: [UInt8]) {
    switch event {
    case .piece(let kind, let payload, let isFirst, let isLast):
      precondition(isFirst != isOpen, "a message has one first piece")
      precondition(isLast || !payload.isEmpty, "only the last piece of a message may be empty")
      pieces += 1
      isOpen = !isLast
      collected += buffer[payload]
      if isLast {
        outcome.events.append(.message(kind, collected))
        collected = []
      }
    case .message(let kind, let payload): outcome.events.append(.message(kind, payload))
    case .ping(let payload): outcome.events.append(.ping(payload))
    case .pong(let payload): outcome.events.append(.pong(payload))
    case .close(let code, let reason): outcome.events.append(.close(code, reason))
    }
  }
}

/// Returns the events of a new reader that receives all these bytes in one call.
func readWhole(
  _ bytes: [UInt8], role: Role = .server, limits: MessageLimits = .tests, deflate: DeflateParameters? = nil
) -> Outcome {
  var feed = Feed(
    MessageReader(role: role, limits: limits, deflate: deflate), inflater: deflate == nil ? nil : Inflater())
  feed.feed(bytes)
  return feed.outcome
}

/// Returns the events of a new reader that receives these bytes one by one.
func readByteByByte(
  _ bytes: [UInt8], role: Role = .server, limits: MessageLimits = .tests, deflate: DeflateParameters? = nil
) -> Outcome {
  var feed = Feed(
    MessageReader(role: role, limits: limits, deflate: deflate), inflater: deflate == nil ? nil : Inflater())
  for byte in bytes where feed.outcome.error == nil {
    feed.feed([byte])
  }
  return feed.outcome
}

extension MessageLimits {
  static let tests = MessageLimits(messageBytes: 1 << 20)
}
