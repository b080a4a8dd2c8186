import Wire

/// The state of a session in a client: the result of applying its entries in order (PROTOCOL 3.2, 3.3).
struct RetainedState: Equatable {
  private(set) var held: [EntryKey: [[UInt8]]] = [:]
  private(set) var participants: Set<ParticipantNumber> = []
  private(set) var attachments: [EntryKey: AttachmentObject] = [:]

  /// Applies an entry that the gateway has sent.
  mutating func apply(_ entry: ReceivedEntry) throws {
    if entry.flags.contains(.system) {
      if entry.type == SystemType.attachment {
        attachments[entry.key] =
          entry.flags.retention == .remove ? nil : try AttachmentObject.decode(entry.payload.span)
        return
      }
      guard entry.type == SystemType.participants else { return }
      let payload = try ParticipantsPayload.decode(entry.payload.span)
      if entry.sequence == 0, participants.isEmpty || !payload.joined.isEmpty {
        participants.formUnion(payload.joined.map(\.number))
        return
      }
      participants.formUnion(payload.joined.map(\.number))
      participants.subtract(payload.left.map(\.number))
      return
    }
    guard !entry.flags.contains(.existing) else { return }
    switch entry.flags.retention {
    case .none: break
    case .append: held[entry.key, default: []].append(entry.payload)
    case .replace: held[entry.key] = [entry.payload]
    case .remove: held[entry.key] = nil
    }
  }
}

/// An entry as the gateway sends it to clients.
struct ReceivedEntry: Equatable {
  let flags: EntryFlags
  let sequence: UInt64
  let sender: ParticipantNumber
  let clientSequence: UInt32
  let key: EntryKey
  let type: String
  let payload: [UInt8]

  /// Returns all entries of a binary message.
  static func all(in message: [UInt8]) throws -> [ReceivedEntry] {
    var entries: [ReceivedEntry] = []
    var offset = 0
    while offset < message.count {
      let entry = try GatewayEntry.parse(message.span, at: offset)
      entries.append(
        ReceivedEntry(
          flags: entry.flags, sequence: entry.sequence, sender: entry.sender,
          clientSequence: entry.clientSequence, key: entry.key,
          type: String(decoding: message[entry.type], as: UTF8.self), payload: Array(message[entry.payload])))
      offset = entry.end
    }
    return entries
  }
}
