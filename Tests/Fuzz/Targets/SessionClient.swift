internal import SessionCore
internal import Wire

/// One socket of a session and the client at its other end. The client relies only on documented behavior.
final class SessionClient {
  /// The retained entries by key, as received.
  typealias State = [HeldKey: [[UInt8]]]

  struct HeldKey: Hashable {
    let isSystem: Bool
    let key: EntryKey
  }

  /// The fields of a `joined` message.
  struct Joined {
    let token: Token?
    let sequence: UInt64
    let acknowledged: UInt32
    let isResumed: Bool

    init(_ members: [String: JSONValue]) throws {
      token = try members.text("token").flatMap { Token($0) }
      sequence = try SessionClient.sequence(members)
      guard let acknowledged: UInt32 = try members.integer("acknowledged") else {
        throw Finding("`joined` without `acknowledged`")
      }
      self.acknowledged = acknowledged
      isResumed = members["resumed"] == .bool(true)
      try expect(token != nil, "`joined` without `token`")
    }
  }

  let subscriber: Subscriber
  /// True until the session or the client closes the socket.
  var isOpen = true
  /// True while the client waits and has not joined.
  var isWaiting = false
  /// True if the client reads only when `read` is called.
  var isSlow = false
  var nextClientSequence: UInt32 = 1
  private(set) var joined: Joined?
  /// The retained state, as received.
  private(set) var state: State = [:]
  /// The sequence up to which everything was applied; nil before the first `caughtUp`.
  private(set) var applied: UInt64?
  private(set) var committed: UInt64 = 0
  private var catchUp: (isSnapshot: Bool, sequence: UInt64, last: UInt64)?
  private var bytes: [UInt8] = []
  private var isClosed = false

  init(connection: UInt64) {
    subscriber = Subscriber(connection: connection)
  }

  var isOnBoundary: Bool { bytes.isEmpty }

  /// Takes over the state of another client, like a client that resumes.
  func remember(_ other: SessionClient) {
    (state, applied, nextClientSequence) = (other.state, other.applied, other.nextClientSequence)
  }

  /// Processes received bytes. Passes each entry that has a sequence to `note`.
  func receive(_ more: some Sequence<UInt8>, note: (GatewayEntry, [UInt8]) throws -> Void) throws {
    bytes += more
    while let (opcode, payload) = try nextFrame() {
      try expect(!isClosed, "a frame after a close frame")
      switch opcode {
      case 1: try take(control: payload)
      case 2: try take(payload, note)
      case 8: isClosed = true
      default: throw Finding("a frame with opcode \(opcode), or a partial frame")
      }
    }
  }

  private func nextFrame() throws -> (opcode: UInt8, payload: [UInt8])? {
    guard bytes.count >= 2 else { return nil }
    try expect(
      bytes[0] & 0xF0 == 0x80 && bytes[1] < 0x80,
      "a partial frame, or a frame that begins with \(bytes.prefix(2))")
    let header = [126: 4, 127: 10][bytes[1]] ?? 2
    guard bytes.count >= header else { return nil }
    let length = header == 2 ? Int(bytes[1]) : bytes[2..<header].reduce(0) { $0 << 8 | Int($1) }
    try expect(length < 1 << 24, "a frame of \(length) bytes, or a partial frame")
    guard bytes.count >= header + length else { return nil }
    defer { bytes.removeFirst(header + length) }
    return (bytes[0] & 15, Array(bytes[header..<header + length]))
  }

  private func take(control text: [UInt8]) throws {
    guard case .object(let message) = try JSONParser.parse(text.span), message.count == 1,
      let (name, value) = message.first, case .object(let members) = value
    else { throw Finding("\(String(decoding: text, as: UTF8.self)) is no control message") }
    switch name {
    case "joined":
      let said = try Joined(members)
      joined = said
      nextClientSequence = said.acknowledged + 1
      applied = said.isResumed ? applied : nil
    case "waiting":
      try expect(joined == nil, "`waiting` after `joined`")
    case "catchUp":
      // A subscriber that lags during a catch-up from the tail may get another `catchUp`.
      try expect(
        joined != nil && catchUp?.isSnapshot != true,
        "an unexpected `catchUp`: joined \(joined != nil), \(catchUp as Any)")
      let isSnapshot = try members.text("kind") == "snapshot"
      let sequence: UInt64 = try Self.sequence(members)
      try expect(sequence >= joined?.sequence ?? 0, "a catch-up to \(sequence), older than the join")
      if isSnapshot { state = [:] }
      catchUp = (isSnapshot, sequence, isSnapshot ? 0 : applied ?? 0)
    case "caughtUp":
      let sequence: UInt64 = try Self.sequence(members)
      try expect(
        catchUp?.sequence == sequence, "`caughtUp` at \(sequence), expected \(catchUp as Any)")
      applied = sequence
      catchUp = nil
    case "committed":
      let sequence: UInt64 = try Self.sequence(members)
      try expect(sequence >= committed, "`committed` \(sequence) after \(committed)")
      committed = sequence
    case "error":
      try expect(try members.text("detail")?.isEmpty == false, "an `error` without `detail`")
    default:
      throw Finding("an unknown message: \(name)")
    }
  }

  fileprivate static func sequence(_ members: [String: JSONValue]) throws -> UInt64 {
    guard let sequence: UInt64 = try members.integer("sequence") else { throw Finding("no sequence") }
    return sequence
  }

  private func take(_ message: [UInt8], _ note: (GatewayEntry, [UInt8]) throws -> Void) throws {
    var offset = 0
    try expect(!message.isEmpty, "a message without entries")
    while offset < message.count {
      let entry = try GatewayEntry.parse(message.span, at: offset)
      let own = Array(message[offset..<entry.end])
      offset = entry.end
      guard entry.sequence > 0 else { continue }
      try expect(entry.flags.contains(.reliable), "an unreliable entry has the sequence \(entry.sequence)")
      if let (isSnapshot, end, last) = catchUp {
        try expect(
          last < entry.sequence && entry.sequence <= end,
          "\(entry.sequence) after \(last), in a catch-up to \(end)")
        catchUp = (isSnapshot, end, entry.sequence)
      } else if let applied {
        try expect(entry.sequence > applied, "\(entry.sequence) after \(applied)")
        self.applied = entry.sequence
      } else {
        try expect(joined == nil, "an entry before any catch-up")
      }
      try note(entry, own)
      apply(entry, own)
    }
  }

  private func apply(_ entry: GatewayEntry, _ own: [UInt8]) {
    guard !entry.flags.contains(.existing) else { return }
    let key = HeldKey(isSystem: entry.flags.contains(.system), key: entry.key)
    switch entry.flags.retention {
    case .none: break
    case .append: state[key, default: []].append(own)
    case .replace: state[key] = [own]
    case .remove: state[key] = nil
    }
  }
}
