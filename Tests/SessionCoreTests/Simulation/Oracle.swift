import Primitives
import SessionCore
import Wire

/// A reference model of a session, as simple as possible: one list of all entries, which is searched from its beginning.
struct Oracle {
  /// One entry in the order.
  struct Entry {
    let sequence: UInt64
    /// The number of the sender; 0 for the gateway itself.
    let sender: ParticipantNumber
    /// True if the contents of the entry are known. For most of the gateway's own entries, only the sequence is known.
    var isKnown = false
    var clientSequence: UInt32 = 0
    var flags: EntryFlags = [.reliable, .system]
    var key = EntryKey.zero
    var type: [UInt8] = []
    var payload: [UInt8] = []
    var targets: [ParticipantNumber]?
    /// True if the entry adds to, or removes from, the retained state.
    var changesState = false

    var heldKey: HeldKey { HeldKey(key: key, isSystem: flags.contains(.system)) }

    func isFor(_ number: ParticipantNumber) -> Bool {
      guard let targets else { return true }
      return sender == number || targets.contains(number)
    }

    /// The entry as its receivers must see it.
    var received: ReceivedEntry {
      ReceivedEntry(
        flags: flags, sequence: sequence, sender: sender, clientSequence: clientSequence, key: key,
        type: type, payload: payload)
    }
  }

  /// A key and its key space: keys of clients and of the gateway never collide (PROTOCOL 3.3).
  struct HeldKey: Hashable {
    var key: EntryKey
    var isSystem = false
  }

  /// A refusal that a sender gets.
  struct Refused: Equatable {
    let code: ErrorCode
    let clientSequence: UInt32?
    var expected: UInt32?
    var retryAfterMs: UInt64?
  }

  /// The expected state of a sender.
  private struct Sender {
    var acknowledged: UInt32 = 0
    var isAwaitingDue = false
    /// The tokens in the bucket at the time `filledAt`.
    var tokens: Int
    var filledAt = MonotonicTime.zero
  }

  let limits: Limits
  private(set) var log: [Entry] = []
  /// The lengths of the retained entries of each key.
  private var held: [HeldKey: [Int]] = [:]
  private(set) var heldBytes = 0
  private var senders: [ParticipantNumber: Sender] = [:]
  /// The highest participant number that was assigned.
  private(set) var highestNumber: ParticipantNumber = 0
  /// For each interrupted epoch, the last sequence that it has in common with the present order.
  private(set) var common: [String: UInt64] = [:]

  init(limits: Limits) {
    self.limits = limits
  }

  var sequence: UInt64 { UInt64(log.count) }

  /// Adds the entries that the session itself has appended, up to a sequence. Only their sequences are known.
  mutating func noteSystemEntries(upTo sequence: UInt64) {
    while self.sequence < sequence {
      log.append(Entry(sequence: self.sequence + 1, sender: 0))
    }
  }

  mutating func admit(_ number: ParticipantNumber, now: MonotonicTime) throws {
    // A participant gets its number when it begins to wait, so the order of the numbers may differ from the order of the joins.
    try require(senders[number] == nil, "number \(number) was assigned twice")
    highestNumber = max(highestNumber, number)
    senders[number] = Sender(tokens: 2 * limits.entriesPerSecond, filledAt: now)
  }

  mutating func resume(_ number: ParticipantNumber) {
    senders[number]?.isAwaitingDue = false
  }

  /// Restarts the session from its file, which has no entries after `sequence`.
  ///
  /// `acknowledged` contains, for each sender, the last client sequence that the restarted session acknowledges. This client
  /// sequence is at least as high as that of the sender's last entry in the file, and lower than that of the sender's first lost
  /// entry.
  mutating func restart(
    _ epoch: String, at sequence: UInt64, acknowledged: [ParticipantNumber: UInt32],
    highestNumber: ParticipantNumber, now: MonotonicTime
  ) throws {
    try require(sequence <= self.sequence, "the session is at \(sequence), beyond \(self.sequence)")
    common = common.mapValues { min($0, sequence) }
    common[epoch] = sequence
    let lost = log[Int(sequence)...]
    for (number, count) in acknowledged {
      let kept = log.prefix(Int(sequence)).last { $0.sender == number && $0.isKnown }?.clientSequence ?? 0
      try require(
        count >= kept,
        "P2: \(number) has entries up to \(kept) in the order, but is acknowledged only up to \(count)")
      if let first = lost.first(where: { $0.sender == number }) {
        try require(
          count < first.clientSequence, "P2: \(first) is lost, but its sender is acknowledged up to \(count)")
      }
    }
    log.removeSubrange(Int(sequence)...)
    for entry in log where entry.sender != 0 {
      try require(
        acknowledged[entry.sender] != nil, "P2: \(entry) is in the order, but its sender is unknown")
    }
    held = [:]
    heldBytes = 0
    for entry in log where entry.changesState {
      hold(entry.flags.retention, entry.heldKey, entry.type.count + entry.payload.count)
    }
    self.highestNumber = highestNumber
    for number in senders.keys {
      senders[number] = Sender(
        acknowledged: acknowledged[number] ?? 0, tokens: 2 * limits.entriesPerSecond, filledAt: now)
    }
  }

  /// Sets a sender's last acknowledged client sequence. Called when `next` in the sender's `join` is higher than expected.
  mutating func move(_ number: ParticipantNumber, to clientSequence: UInt32) {
    senders[number]?.acknowledged = clientSequence
  }

  func acknowledged(_ number: ParticipantNumber) -> UInt32 { senders[number]?.acknowledged ?? 0 }

  /// Returns the sequences of the retained entries of each key when all entries up to `sequence` are applied (PROTOCOL 3.2).
  func state(at sequence: UInt64) -> [HeldKey: [UInt64]] {
    var state: [HeldKey: [UInt64]] = [:]
    for entry in log.prefix(Int(sequence)) where entry.changesState {
      switch entry.flags.retention {
      case .none: break
      case .append: state[entry.heldKey, default: []].append(entry.sequence)
      case .replace: state[entry.heldKey] = [entry.sequence]
      case .remove: state[entry.heldKey] = nil
      }
    }
    return state
  }

  /// Takes a token from a sender's bucket. Returns false if the bucket is empty. The simulated clock advances in ticks, and each
  /// tick adds a whole number of tokens.
  mutating func takeToken(_ number: ParticipantNumber, now: MonotonicTime) -> Bool {
    guard var sender = senders[number] else { return false }
    let steps = (now.nanoseconds - sender.filledAt.nanoseconds) / Simulation.tickNanoseconds
    let gained = Int(steps) * limits.entriesPerSecond / Simulation.ticksPerSecond
    sender.tokens = min(2 * limits.entriesPerSecond, sender.tokens + gained)
    sender.filledAt = now
    let hasToken = sender.tokens >= 1
    if hasToken { sender.tokens -= 1 }
    senders[number] = sender
    return hasToken
  }

  /// The milliseconds until a quarter of the burst is available (PROTOCOL 3.1).
  func retryAfterMs(_ number: ParticipantNumber) -> UInt64 {
    let lacking = max(1, limits.entriesPerSecond / 2) - (senders[number]?.tokens ?? 0)
    return UInt64(lacking * 1000 / limits.entriesPerSecond)
  }

  /// Applies a message (PROTOCOL 3.1) and returns the expected refusals, in order.
  ///
  /// `sequence` is the session's newest sequence after the message. The entries of the message that were accepted must have the
  /// highest sequences up to `sequence`, without gaps.
  mutating func receive(
    _ message: [SentEntry], from number: ParticipantNumber, now: MonotonicTime, sequence: UInt64
  ) throws -> [Refused] {
    var refused: [Refused] = []
    var accepted: [(entry: SentEntry, changesState: Bool)] = []
    for entry in message where entry.flags.contains(.reliable) {
      switch judge(entry, from: number, now: now) {
      case nil: continue
      case .refuse(let refusal): refused.append(refusal)
      case .accept:
        guard let changesState = take(entry) else {
          senders[number]?.isAwaitingDue = true
          refused.append(
            Refused(code: .sessionQuota, clientSequence: entry.clientSequence, retryAfterMs: 1000))
          continue
        }
        senders[number]?.acknowledged = entry.clientSequence
        senders[number]?.isAwaitingDue = false
        accepted.append((entry, changesState))
      }
    }
    try require(
      sequence >= self.sequence + UInt64(accepted.count),
      "\(accepted.count) entries should have been accepted, but the sequence went from \(self.sequence) to \(sequence)"
    )
    noteSystemEntries(upTo: sequence - UInt64(accepted.count))
    for (entry, changesState) in accepted {
      var flags = entry.flags
      if changesState || !flags.contains(.existing) { flags.remove(.existing) }
      log.append(
        Entry(
          sequence: self.sequence + 1, sender: number, isKnown: true, clientSequence: entry.clientSequence,
          flags: flags,
          key: entry.key, type: entry.type, payload: entry.payload,
          targets: flags.contains(.targeted) ? entry.targets : nil, changesState: changesState))
    }
    return refused
  }

  /// Adds an entry to the retained bytes. Returns nil if there is no room, and otherwise true if the entry changes the
  /// state.
  private mutating func take(_ entry: SentEntry) -> Bool? {
    let retention = entry.flags.retention
    let key = HeldKey(key: entry.key)
    if retention == .none || entry.flags.contains(.existing) && held[key] == nil { return false }
    let growth = growth(retention, key, entry.type.count + entry.payload.count)
    guard growth <= 0 || heldBytes + growth <= limits.sessionLogBytes else { return nil }
    hold(retention, key, entry.type.count + entry.payload.count)
    return true
  }

  /// True if there is room for an `attachment` entry.
  func fits(_ key: EntryKey, _ payload: [UInt8]) -> Bool {
    heldBytes + growth(.replace, HeldKey(key: key, isSystem: true), "attachment".utf8.count + payload.count)
      <= limits.sessionLogBytes
  }

  /// Adds the entry that announces an attachment, or, if `payload` is nil, the two entries that remove it in both key
  /// spaces. The last of these entries has the sequence `sequence`.
  mutating func noteAttachment(_ key: EntryKey, _ payload: [UInt8]?, sequence: UInt64) throws {
    let spaces = payload == nil ? [true, false] : [true]
    try require(
      sequence >= self.sequence + UInt64(spaces.count),
      "an attachment should have been announced, but the sequence went from \(self.sequence) to \(sequence)")
    noteSystemEntries(upTo: sequence - UInt64(spaces.count))
    for isSystem in spaces {
      let retention = payload == nil ? Retention.remove : .replace
      let entry = Entry(
        sequence: self.sequence + 1, sender: 0, isKnown: true,
        flags: EntryFlags(isSystem ? [.reliable, .system] : .reliable, retention: retention), key: key,
        type: Array("attachment".utf8), payload: payload ?? [], changesState: true)
      hold(retention, entry.heldKey, entry.type.count + entry.payload.count)
      log.append(entry)
    }
  }

  /// Returns the added retained bytes. An entry has 38 bytes besides its type and payload: length, flags, length of the
  /// type, sequence, sender, client sequence and key (PROTOCOL 3).
  private func growth(_ retention: Retention, _ key: HeldKey, _ length: Int) -> Int {
    let old = held[key]?.reduce(0, +) ?? 0
    switch retention {
    case .none: return 0
    case .append: return 38 + length
    case .replace: return 38 + length - old
    case .remove: return -old
    }
  }

  private mutating func hold(_ retention: Retention, _ key: HeldKey, _ length: Int) {
    heldBytes += growth(retention, key, length)
    switch retention {
    case .none: break
    case .append: held[key, default: []].append(38 + length)
    case .replace: held[key] = [38 + length]
    case .remove: held[key] = nil
    }
  }

  private enum Verdict {
    case refuse(Refused)
    case accept
  }

  /// Checks an entry in the order of PROTOCOL 3.1. Returns nil if the entry is dropped without an answer.
  private mutating func judge(
    _ entry: SentEntry, from number: ParticipantNumber, now: MonotonicTime
  ) -> Verdict? {
    guard let sender = senders[number] else { return nil }
    if entry.clientSequence <= sender.acknowledged { return nil }
    guard entry.clientSequence == sender.acknowledged + 1 else {
      if sender.isAwaitingDue { return nil }
      senders[number]?.isAwaitingDue = true
      return .refuse(
        Refused(
          code: .sequenceGap, clientSequence: entry.clientSequence, expected: sender.acknowledged + 1))
    }
    guard takeToken(number, now: now) else {
      senders[number]?.isAwaitingDue = true
      return .refuse(
        Refused(
          code: .rateLimited, clientSequence: entry.clientSequence, retryAfterMs: retryAfterMs(number)))
    }
    var code: ErrorCode?
    if entry.flags.contains(.targeted), entry.flags.retention != .none { code = .badEntry }
    if entry.type.isEmpty { code = .badEntry }
    if entry.payload.count > limits.messageBytes { code = .messageTooLarge }
    if code == nil, entry.targets.contains(where: { $0 == 0 || $0 > highestNumber }) {
      code = .unknownParticipant
    }
    guard let code else { return .accept }
    senders[number]?.acknowledged = entry.clientSequence
    senders[number]?.isAwaitingDue = false
    return .refuse(Refused(code: code, clientSequence: entry.clientSequence))
  }
}
