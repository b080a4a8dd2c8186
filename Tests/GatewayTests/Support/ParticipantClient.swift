import Testing
import Platform
import WebSocket
import Wire
import TestSupport

/// A participant that uses one socket after another. It joins, resumes, keeps its entries until they are committed, sends
/// unacknowledged ones again, and maintains the retained state. It checks that the received entries have rising sequences
/// and no repetitions, and that catch-ups are complete.
final class ParticipantClient {
  /// The gateway, which is replaced after a restart.
  var gateway: RunningGateway
  let session: SessionID
  let isSecure: Bool
  private(set) var socket: WebSocketClient?
  private(set) var joined: Joined?
  private(set) var state = RetainedState()
  /// True to apply the gateway's own entries to the state. Tests of large sessions set this property to false to save time.
  var followsParticipants = true
  /// The received entries in order of arrival. Entries that arrived in a snapshot are not included.
  var received: [ReceivedEntry] = []
  private(set) var unreliable: [ReceivedEntry] = []
  private(set) var catchUps: [CatchUpKind] = []
  private(set) var errors: [Refusal] = []
  private(set) var committed: UInt64 = 0
  private(set) var closed: UInt16?
  /// The sequence of the newest entry or catch-up.
  private(set) var sequence: UInt64 = 0
  private(set) var isCaughtUp = false
  private var snapshotSequence: UInt64?
  private var after: UInt64?
  /// The last used client sequence.
  private(set) var clientSequence: UInt32 = 0
  private var kept: [(clientSequence: UInt32, bytes: [UInt8])] = []
  /// The sequence and the client sequence of each own entry that was received. When the sequence of an entry is committed, all
  /// own entries up to the client sequence of this entry are committed.
  private var arrived: [(sequence: UInt64, clientSequence: UInt32)] = []

  init(_ gateway: RunningGateway, _ session: SessionID, isSecure: Bool = false) {
    self.gateway = gateway
    self.session = session
    self.isSecure = isSecure
  }

  var number: ParticipantNumber { joined?.participant.number ?? 0 }

  /// Joins over a new socket and reads up to `caughtUp`. Then sends again the entries that the gateway has not acknowledged.
  @discardableResult
  func join(over socket: WebSocketClient? = nil, resuming: Bool = true) throws -> ParticipantClient {
    let socket = try socket ?? WebSocketClient(gateway, session: session, isSecure: isSecure)
    try socket.send(.text, joinMessage(resuming: resuming))
    try begin(on: socket)
    return self
  }

  /// Returns the text of the `join` message.
  func joinMessage(resuming: Bool = true) -> [UInt8] {
    var join = Join()
    if resuming, let joined {
      join.resume = Resume(
        token: joined.token, epoch: joined.epoch, after: after, next: kept.first?.clientSequence)
    }
    var bytes = Array(#"{"join":"#.utf8)
    bytes += WireJSON.encode(join)
    bytes += Array("}".utf8)
    return bytes
  }

  /// Continues with a socket on which `join` has been sent already. Reads up to `caughtUp`. Then sends again the entries that the
  /// gateway has not acknowledged.
  func begin(on socket: WebSocketClient) throws {
    self.socket = socket
    isCaughtUp = false
    closed = nil
    try read(until: "caughtUp") { $0.isCaughtUp }
    if joined?.resumed != true {
      // A new participant numbers its entries from 1.
      clientSequence = 0
      kept = []
    }
    let acknowledged = joined?.acknowledged ?? 0
    var due: [UInt8] = []
    for entry in kept where entry.clientSequence > acknowledged {
      due += entry.bytes
      guard due.count > Self.messageBytes else { continue }
      try socket.send(.binary, due)
      due = []
    }
    if !due.isEmpty { try socket.send(.binary, due) }
  }

  /// The size above which entries that are sent again are split into several messages.
  private static let messageBytes = 200_000

  /// Disconnects without a close frame.
  func cut() {
    socket?.stream.cut()
    socket = nil
    isCaughtUp = false
  }

  // MARK: - Sending

  /// Creates an entry with this participant's next client sequence. A reliable entry is kept until it is committed.
  func entry(
    _ payload: [UInt8], type: String = "Test", retention: Retention = .none, key: EntryKey = .zero,
    targets: [ParticipantNumber]? = nil, isReliable: Bool = true
  ) -> [UInt8] {
    var flags: EntryFlags = isReliable ? .reliable : []
    if targets != nil { flags.insert(.targeted) }
    flags.retention = retention
    if isReliable { clientSequence += 1 }
    var bytes: [UInt8] = []
    ClientEntry.append(
      to: &bytes, flags: flags, clientSequence: isReliable ? clientSequence : 0, key: key,
      targets: targets ?? [], type: Array(type.utf8).span, payload: payload.span)
    if isReliable { kept.append((clientSequence, bytes)) }
    return bytes
  }

  /// Sends entries in one message. Without a socket that has caught up, does nothing.
  func send(_ entries: [UInt8]...) throws {
    guard let socket, isCaughtUp else { return }
    try socket.send(.binary, entries.flatMap { $0 })
  }

  /// Sends another entry with the client sequence of the refused entry. Drops the refused entry and all later entries.
  func sendInstead(of refused: UInt32, retention: Retention, key: EntryKey) throws {
    kept.removeAll { $0.clientSequence >= refused }
    clientSequence = refused - 1
    try send(entry([], retention: retention, key: key))
  }

  // MARK: - Receiving

  /// Reads until a condition is true. If the condition is true already, reads nothing.
  func read(until what: String, _ condition: (ParticipantClient) throws -> Bool) throws {
    let deadline = TestTimeout.deadline
    while try !condition(self) {
      guard .now() < deadline, let socket else { throw ClientError.outOfPatience(waitingFor: what) }
      let message: WebSocketClient.Message
      do {
        message = try socket.next(by: deadline)
      } catch ClientError.outOfPatience {
        throw ClientError.outOfPatience(waitingFor: what)
      }
      switch message {
      case .text(let bytes): try receive(GatewayControl.decode(bytes.span))
      case .binary(let bytes): for entry in try ReceivedEntry.all(in: bytes) { try receive(entry) }
      case .pong: break
      case .close(let code, let reason):
        closed = code
        guard try condition(self) else { throw ClientError.closed(code: code, reason: reason) }
      }
    }
  }

  /// True when all own entries have been received.
  var isCurrent: Bool {
    received.last { $0.sender == number && $0.clientSequence > 0 }?.clientSequence ?? 0 == clientSequence
  }

  /// True when all sent entries are committed.
  var hasAllCommitted: Bool { kept.isEmpty }

  /// Reads until all sent entries are committed.
  func readUntilCommitted() throws {
    try read(until: "all own entries are committed") { $0.isCaughtUp && $0.kept.isEmpty }
  }

  /// Reads until all entries up to a sequence have arrived.
  func read(through sequence: UInt64) throws {
    try read(until: "sequence \(sequence)") { $0.isCaughtUp && $0.sequence >= sequence }
  }

  private func receive(_ control: GatewayControl) throws {
    switch control {
    case .joined(let joined):
      if joined.epoch != self.joined?.epoch || !joined.resumed {
        // Sequences of different epochs cannot be compared.
        arrived = []
        committed = 0
      }
      self.joined = joined
      arrived.append((joined.sequence, joined.acknowledged))
      note(committed: joined.committed)
    case .waiting: break
    case .catchUp(let kind, let epoch, let sequence):
      #expect(epoch == joined?.epoch)
      #expect(sequence >= joined?.sequence ?? 0)
      catchUps.append(kind)
      isCaughtUp = false
      if kind == .snapshot {
        state = RetainedState()
        snapshotSequence = sequence
        self.sequence = 0
      } else {
        #expect(self.sequence <= sequence)
      }
    case .caughtUp(let sequence):
      #expect(snapshotSequence == nil || snapshotSequence == sequence)
      #expect(self.sequence <= sequence)
      snapshotSequence = nil
      self.sequence = sequence
      after = sequence
      isCaughtUp = true
    case .committed(let sequence): note(committed: sequence)
    case .error(let refusal): errors.append(refusal)
    }
  }

  private func note(committed sequence: UInt64) {
    committed = max(committed, sequence)
    let safe = arrived.filter { $0.sequence <= committed }.map(\.clientSequence).max() ?? 0
    arrived.removeAll { $0.sequence <= committed }
    kept.removeAll { $0.clientSequence <= safe }
  }

  private func receive(_ entry: ReceivedEntry) throws {
    guard entry.flags.contains(.reliable) else {
      unreliable.append(entry)
      return
    }
    if snapshotSequence != nil {
      // A snapshot begins with system entries of sequence 0, followed by entries in rising order.
      #expect(entry.sequence > sequence || (entry.sequence == 0 && sequence == 0))
      sequence = entry.sequence
      if followsParticipants || !entry.flags.contains(.system) { try state.apply(entry) }
      return
    }
    if entry.sequence <= sequence { Issue.record("\(entry.sequence) came after \(sequence)") }
    sequence = entry.sequence
    // Live entries and entries of a tail advance `after`, which the next resume contains. Entries of a snapshot do not.
    after = sequence
    received.append(entry)
    if entry.sender == number, entry.clientSequence > 0 {
      arrived.append((sequence, entry.clientSequence))
      // `committed` may arrive before the entry that it covers.
      if sequence <= committed { note(committed: committed) }
    }
    if followsParticipants || !entry.flags.contains(.system) { try state.apply(entry) }
  }
}
