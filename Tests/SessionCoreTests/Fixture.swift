import FoundationEssentials
import Primitives
import SessionCore
import Wire

/// A session, and a clock that a test moves by hand.
final class Fixture {
  var session: Session
  var now = MonotonicTime.zero
  private(set) var effects: [Effect] = []
  private var connections: UInt64 = 0
  private var tokens: UInt64 = 0

  /// The records of the session's file; empty for a session in memory.
  var disk: [SessionRecord] = []

  /// Creates a fixture for a session that was loaded.
  init(_ session: consuming Session, now: MonotonicTime) {
    self.session = session
    self.session.compressor = withoutZeros
    self.now = now
    // The next connection ids and tokens are higher than those that the session used before it was loaded.
    connections = 1_000
    tokens = 1_000
  }

  init(saving: Saving = .inMemory, _ change: (inout Limits) -> Void = { _ in }) {
    var limits = Limits()
    change(&limits)
    session = Session(
      id: SessionID(high: 0, low: 1), epoch: "epoch", activity: .standard,
      createdAt: Date(timeIntervalSince1970: 0), limits: limits, now: now, saving: saving)
    session.compressor = withoutZeros
    if case .byStore = saving { disk = session.firstRecords() }
  }

  /// Returns a client with a new socket. Every second socket accepts compression.
  func connect() -> TestClient {
    connections += 1
    return TestClient(
      self, Subscriber(connection: connections, acceptsCompression: connections.isMultiple(of: 2)))
  }

  /// Returns a client that has joined and got `joined`.
  func join(
    name: String? = nil, color: String? = nil, resume: Resume? = nil, endsTurn: Bool = true
  ) throws -> TestClient {
    let client = connect()
    client.join(name: name, color: color, resume: resume)
    if endsTurn { try turn(client) }
    return client
  }

  func identity() -> NewIdentity {
    tokens += 1
    return NewIdentity(
      id: EntryKey(high: 9, low: tokens).uuid, token: Token(high: 0, low: tokens), lot: tokens)
  }

  func perform(_ more: [Effect]) {
    effects += more
  }

  /// Returns the effects since the last call.
  func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// Returns the close codes among the effects since the last call, with their connections.
  func takeCloses() -> [Closed] {
    takeEffects().compactMap { effect in
      guard case .close(let connection, let reason) = effect else { return nil }
      return Closed(connection: connection, code: reason.code)
    }
  }

  /// Ends the turn, and lets some clients read everything.
  func turn(_ clients: TestClient...) throws {
    endTurn()
    for client in clients { try client.read() }
    guard session.needsTurn else { return }
    endTurn()
    for client in clients { try client.read() }
  }

  private func endTurn() {
    session.endTurn(now: now)
    perform(session.takeEffects())
    _ = session.takeWaitersWithOutput()
  }

  /// Advances the clock and handles deadlines.
  func pass(milliseconds: Int) {
    now = now.adding(milliseconds: milliseconds)
    session.tick(now: now)
  }
}

/// A socket that was closed.
struct Closed: Equatable {
  let connection: UInt64
  let code: UInt16
}

/// One socket, and all messages that arrived on it.
final class TestClient {
  private let fixture: Fixture
  let subscriber: Subscriber
  private var stream = FrameStream()
  private(set) var controls: [GatewayControl] = []
  private(set) var entries: [ReceivedEntry] = []
  private var nextClientSequence: UInt32 = 1

  init(_ fixture: Fixture, _ subscriber: Subscriber) {
    self.fixture = fixture
    self.subscriber = subscriber
  }

  var connection: UInt64 { subscriber.connection }

  func join(name: String? = nil, color: String? = nil, resume: Resume? = nil) {
    fixture.perform(
      fixture.session.join(
        subscriber, Join(profile: Profile(name: name, color: color), resume: resume),
        identity: fixture.identity(), now: fixture.now))
  }

  func wait(name: String? = nil) {
    fixture.perform(
      fixture.session.wait(
        subscriber, profile: Profile(name: name), identity: fixture.identity(), now: fixture.now))
  }

  /// Sends a reliable entry with the next client sequence.
  func send(
    _ text: String = "", _ flags: EntryFlags = .reliable, key: UInt64 = 0,
    to targets: [ParticipantNumber] = []
  ) {
    nextClientSequence = max(nextClientSequence, (joined?.acknowledged ?? 0) + 1)
    sendRaw(
      SentEntry(
        flags: flags, clientSequence: nextClientSequence, key: EntryKey(high: 0, low: key), targets: targets,
        payload: Array(text.utf8)))
    nextClientSequence += 1
  }

  /// Sends entries unchanged, in one message.
  func sendRaw(_ entries: SentEntry...) {
    sendRaw(SentEntry.message(entries))
  }

  func sendRaw(_ message: [UInt8]) {
    var effects: [Effect] = []
    fixture.session.receive(message.span, from: subscriber, now: fixture.now, effects: &effects)
    fixture.perform(effects)
  }

  func leave() {
    fixture.perform(fixture.session.leave(subscriber, now: fixture.now))
  }

  func breakWire(pageGone: Bool = false) {
    fixture.session.disconnected(subscriber, pageGone: pageGone, now: fixture.now)
  }

  /// Reads at most `limit` bytes.
  func read(upTo limit: Int = .max) throws {
    var left = limit
    while left > 0, let piece = fixture.session.nextPiece(subscriber) {
      let count = min(left, piece.range.count)
      stream.append(piece.bytes[piece.range.prefix(count)])
      fixture.session.sent(piece, count, to: subscriber)
      left -= count
    }
    try cut()
  }

  /// Receives bytes that `read` does not deliver, such as unreliable frames.
  func take(_ bytes: [UInt8]) throws {
    stream.append(bytes)
    try cut()
  }

  private func cut() throws {
    while let message = try stream.next() {
      switch message {
      case .control(let control): controls.append(control)
      case .entries(let more): entries += more
      case .close(let code, let reason): throw Violation("closed with \(code) \(reason)")
      }
    }
  }

  /// Discards everything that has arrived.
  func forget() {
    controls = []
    entries = []
  }

  // MARK: - Received messages

  /// The payloads of the participants' entries, in order.
  var texts: [String] { drawn.map { String(decoding: $0.payload, as: UTF8.self) } }
  /// The entries of participants.
  var drawn: [ReceivedEntry] { entries.filter { $0.sender != 0 } }

  var joined: Joined? {
    for case .joined(let joined) in controls { return joined }
    return nil
  }

  var number: ParticipantNumber { joined?.participant.number ?? 0 }

  var refusals: [Refusal] {
    controls.compactMap { if case .error(let refusal) = $0 { refusal } else { nil } }
  }

  var committed: [UInt64] {
    controls.compactMap { if case .committed(let sequence) = $0 { sequence } else { nil } }
  }

  /// The kinds of catch-up that the client got.
  var catchUps: [CatchUpKind] {
    controls.compactMap { if case .catchUp(let kind, _, _) = $0 { kind } else { nil } }
  }

  /// The names of the control messages, in order.
  var controlNames: [String] {
    controls.map { control in
      switch control {
      case .joined: "joined"
      case .waiting: "waiting"
      case .catchUp: "catchUp"
      case .caughtUp: "caughtUp"
      case .committed: "committed"
      case .error: "error"
      }
    }
  }

  /// The `activity` entries, in order.
  var activities: [ActivityPayload] { payloads("activity") }

  private func payloads<Payload: SystemPayload>(_ type: String) -> [Payload] {
    entries.filter { $0.typeText == type }.compactMap { entry in
      do {
        return try Payload.decode(entry.payload.span)
      } catch {
        return nil
      }
    }
  }

  var caughtUpAt: [UInt64] {
    controls.compactMap { if case .caughtUp(let sequence) = $0 { sequence } else { nil } }
  }

  /// The `participants` entries, in order.
  var people: [ParticipantsPayload] {
    entries.filter { $0.typeText == "participants" }.compactMap { entry in
      do {
        return try ParticipantsPayload.decode(entry.payload.span)
      } catch {
        return nil
      }
    }
  }

  /// Returns the `resume` of a client whose connection has broken after the sequence `after`.
  func resume(after: UInt64?, epoch: String = "epoch", next: UInt32? = nil) -> Resume {
    Resume(token: joined?.token, epoch: epoch, after: after, next: next)
  }
}

extension EntryFlags {
  static let appended = EntryFlags(.reliable, retention: .append)
  static let replaced = EntryFlags(.reliable, retention: .replace)
  static let removed = EntryFlags(.reliable, retention: .remove)
  static let appendedIfHeld = EntryFlags([.reliable, .existing], retention: .append)
  static let replacedIfHeld = EntryFlags([.reliable, .existing], retention: .replace)
}
