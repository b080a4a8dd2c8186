import SessionClient
import FoundationEssentials
import Primitives
import Wire

/// A `ClientSession` with a scripted gateway: a test delivers the gateway's messages and checks the effects.
struct SessionHarness {
  var session: ClientSession
  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  /// The reported events, as texts that tests compare.
  private(set) var events: [String] = []
  private(set) var opens: [Duration] = []
  private(set) var controls: [ClientControl] = []
  private(set) var messages: [[UInt8]] = []
  private(set) var reached: [UInt64] = []
  private(set) var closes: [UInt16] = []
  private(set) var isFinished = false
  /// The sequence of the gateway's last entry.
  var sequence: UInt64 = 10

  static let ada = Participant(id: UUID(), number: 1, name: "Ada", color: "#ff0000")
  static let bob = Participant(id: UUID(), number: 2, name: "Bob", color: "#00ff00")
  static let token = Token(high: 1, low: 1)

  /// A generator that always returns the midpoint of its range.
  struct MidpointGenerator: RandomNumberGenerator, Sendable {
    mutating func next() -> UInt64 { 1 << 63 }
  }

  init() {
    session = ClientSession(profile: Profile(name: "Ada"), generator: MidpointGenerator(), now: now)
  }

  /// Creates a session that has joined as Ada and received a snapshot at sequence 10, which lists Ada and Bob.
  static func live() -> SessionHarness {
    var harness = SessionHarness()
    harness.session.join(now: harness.now)
    harness.drainEffects()
    harness.open()
    harness.joined()
    harness.snapshot()
    harness.clear()
    return harness
  }

  /// Clears the recorded effects.
  mutating func clear() {
    events = []
    opens = []
    controls = []
    messages = []
    reached = []
  }

  // MARK: - The gateway

  mutating func open() {
    session.opened(now: now)
    drainEffects()
  }

  mutating func joined(
    as participant: Participant = ada, epoch: String = "e", acknowledged: UInt32 = 0, committed: UInt64 = 0,
    resumed: Bool = false, limits: Limits = Limits()
  ) {
    receive(
      .joined(
        Joined(
          participant: participant, token: Self.token, epoch: epoch, sequence: sequence, committed: committed,
          acknowledged: acknowledged, resumed: resumed,
          session: SessionObject(
            id: SessionID(high: 1, low: 2), link: "/s/x", activity: .standard,
            createdAt: Date(timeIntervalSince1970: 0), participants: 2, sequence: sequence), limits: limits)))
  }

  /// Delivers a snapshot: participants, activity, and the given entries.
  mutating func snapshot(
    _ people: [Participant] = [ada, bob], epoch: String = "e", past: [Participant] = [], entries: [UInt8] = []
  ) {
    receive(.catchUp(.snapshot, epoch: epoch, sequence: sequence))
    let state = ParticipantsPayload(joined: people, past: past)
    deliver(
      Self.system(ParticipantsPayload.type, state.encoded())
        + Self.system(ActivityPayload.type, ActivityPayload(activity: .standard, by: 0).encoded()) + entries)
    receive(.caughtUp(sequence: sequence))
  }

  /// Delivers a tail.
  mutating func tail(_ entries: [UInt8] = [], epoch: String = "e") {
    receive(.catchUp(.tail, epoch: epoch, sequence: sequence))
    deliver(entries)
    receive(.caughtUp(sequence: sequence))
  }

  mutating func receive(_ control: GatewayControl) {
    session.received(text: control.encoded().span, now: now)
    drainEffects()
  }

  mutating func refuse(
    _ code: ErrorCode, _ clientSequence: UInt32?, retryAfterMs: UInt64? = nil, expected: UInt32? = nil
  ) {
    var refusal = Refusal(code, "no")
    refusal.clientSequence = clientSequence
    refusal.retryAfterMs = retryAfterMs
    refusal.expected = expected
    receive(.error(refusal))
  }

  mutating func deliver(_ bytes: [UInt8]) {
    session.received(entries: bytes.span, now: now)
    drainEffects()
  }

  /// Returns the bytes of an entry at the next sequence.
  mutating func entry(
    _ sender: ParticipantNumber, _ clientSequence: UInt32, _ text: String = "x",
    flags: EntryFlags = .reliable, key: EntryKey = .zero
  ) -> [UInt8] {
    sequence += 1
    return Self.entry(sender, clientSequence, text, flags: flags, key: key, at: sequence)
  }

  static func entry(
    _ sender: ParticipantNumber, _ clientSequence: UInt32, _ text: String = "x",
    flags: EntryFlags = .reliable, key: EntryKey = .zero, type: String = "T", at sequence: UInt64
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    GatewayEntry.append(
      to: &bytes, flags: flags, sequence: sequence, sender: sender, clientSequence: clientSequence, key: key,
      type: Array(type.utf8).span, payload: Array(text.utf8).span)
    return bytes
  }

  /// Returns the bytes of a system entry of the gateway. Sequence 0 stands for an entry that describes the state.
  static func system(
    _ type: String, _ payload: [UInt8], flags: EntryFlags = [.reliable, .system], key: EntryKey = .zero,
    at sequence: UInt64 = 0
  ) -> [UInt8] {
    entry(
      0, 0, String(decoding: payload, as: UTF8.self), flags: flags, key: key, type: type, at: sequence)
  }

  mutating func loseConnection(_ end: SocketEnd = .broken("cut")) {
    session.closed(end, now: now)
    drainEffects()
  }

  mutating func closed(_ code: UInt16, _ reason: String = "") {
    session.closed(.closed(code: code, reason: Array(reason.utf8)), now: now)
    drainEffects()
  }

  mutating func advance(by time: Duration) {
    now = now + time
    session.elapsed(now: now)
    drainEffects()
  }

  // MARK: - The program

  mutating func send(_ texts: String..., to targets: [UUID]? = nil, reliably: Bool = true) {
    for text in texts {
      session.enqueue(
        OutgoingEntry(type: "T", payload: Array(text.utf8), isReliable: reliably, targets: targets), now: now)
    }
    drainEffects()
  }

  /// The sent entries: client sequence and text of each.
  var sent: [String] {
    messages.flatMap { message in
      var list: [String] = []
      var offset = 0
      while offset < message.count {
        guard let entry = try? ClientEntry.parse(message.span, at: offset) else { return list + ["torn"] }
        var words = "\(entry.clientSequence) \(String(decoding: message[entry.payload], as: UTF8.self))"
        if entry.flags.contains(.targeted) {
          words += " to \((0..<entry.targetCount).map { entry.target(at: $0, in: message.span) })"
        }
        list.append(words)
        offset = entry.end
      }
      return list
    }
  }

  /// The resume data of the last `join`.
  var resume: Resume? {
    guard case .join(let join)? = controls.last else { return nil }
    return join.resume
  }

  mutating func drainEffects() {
    for effect in session.takeEffects() {
      switch effect {
      case .open(let delay): opens.append(delay)
      case .sendControl(let control): controls.append(control)
      case .sendEntries(let bytes): messages.append(bytes)
      case .close(let code): closes.append(code)
      case .notify(let event): events.append(Self.description(of: event))
      case .reached(let mark): reached.append(mark)
      case .finished: isFinished = true
      }
    }
  }

  private static func description(of event: SessionEvent) -> String {
    switch event {
    case .joined(let joined): "joined as \(joined.participant.number)"
    case .catchUp(let kind): "\(kind)"
    case .caughtUp: "caught up"
    case .participants(let active, let waiting): "here \(active.map(\.name)) waiting \(waiting.map(\.name))"
    case .activity(let activity, let by): "\(activity.title) by \(by)"
    case .entry(let entry):
      "\(entry.source.name): \(String(decoding: entry.payload, as: UTF8.self))"
        + "\(entry.isMine ? ", mine" : "")\(entry.isRepeat ? ", again" : "")"
    case .attachments(let attachments): "attachments \(attachments.map { "\($0.name) \($0.state)" })"
    case .progress(let progress): "progress \(progress.offset)"
    case .successor(let session, let by): "successor \(session.text) by \(by)"
    case .notice(let notice): "notice \(notice.code)"
    case .away: "away"
    case .settled: "settled"
    case .refused(let entry, let refusal):
      "refused \(String(decoding: entry.payload, as: UTF8.self)): \(refusal.code)"
    case .trouble(let why): "trouble: \(why)"
    case .ended(let reason): "ended: \(reason)"
    }
  }
}
