import Primitives
import SessionCore
import Wire

/// A client that follows PROTOCOL: it keeps its entries until they are committed, maintains the retained state, and
/// resumes with its token.
final class VirtualClient {
  /// A reliable entry that is kept until it is committed.
  struct Kept {
    var entry: SentEntry
    /// The number of the user's action, which stays the same if the entry gets another client sequence.
    let intention: Int
    /// The sequence of the entry, when the client knows it.
    var sequence: UInt64?
  }

  var name: String
  var socket: VirtualSocket?
  private var stream = FrameStream()

  private(set) var number: ParticipantNumber?
  private(set) var token: Token?
  private var epoch: String?
  /// The epoch of the sequence in `after`. It differs from `epoch` only between `joined` and `catchUp`.
  private var afterEpoch: String?
  /// The number of tails that this client received in a new epoch, after a position that it had reached in an earlier epoch.
  private(set) var tailsAcrossEpochs = 0
  /// The `after` of a resume: the sequence of the last `caughtUp`, or of a later entry.
  private(set) var after: UInt64?
  private(set) var isCaughtUp = false
  private(set) var hasJoined = false
  private(set) var isWaiting = false
  var hasLeft = false
  /// True if the session lost this client's participant in a restart. The next join may then create a new participant.
  var isForgotten = false

  /// The sequences of the retained entries of each key.
  private(set) var state: [Oracle.HeldKey: [UInt64]] = [:]
  /// The attachments as the gateway announced them, with their newest upload progress.
  private(set) var attachments: [EntryKey: AttachmentObject] = [:]
  /// The sequence up to which every entry was either applied by this client or targeted at other participants.
  private(set) var position: UInt64 = 0
  private var snapshot: UInt64?
  /// The sequence after which the snapshot may contain unretained entries too; nil if it may contain none.
  private var wholeSince: UInt64?
  private var isStateAtN = false
  private(set) var people: [ParticipantNumber: Participant] = [:]
  private(set) var waiting: [ParticipantNumber: Participant] = [:]
  private(set) var title = ""

  private(set) var kept: [Kept] = []
  private var nextClientSequence: UInt32 = 1
  /// The client sequence of the next entry on the socket.
  private(set) var sendNext: UInt32 = 1
  /// The time until which the client waits after a refusal.
  private(set) var waitUntil = MonotonicTime.zero
  private(set) var committed: UInt64 = 0
  /// The user actions (`intention`) whose entries were refused and are not sent again.
  private(set) var givenUp: Set<Int> = []
  private(set) var isQuotaRefused = false
  /// The received refusals, which are compared with those that the oracle expects.
  var told: [Oracle.Refused] = []
  private(set) var unreliable: Set<[UInt8]> = []

  /// True if the session is stored in a file, so that the gateway may send notices about failed saves.
  var isSaved = false

  init(name: String) {
    self.name = name
  }

  var isSettled: Bool { isCaughtUp && kept.isEmpty && stream.isOnBoundary }
  var mayRejoin: Bool { socket == nil && !hasLeft }

  // MARK: - Sending

  /// Creates an entry, as if the user had drawn it.
  func want(_ entry: SentEntry, intention: Int) {
    var entry = entry
    entry.clientSequence = nextClientSequence
    nextClientSequence += 1
    kept.append(Kept(entry: entry, intention: intention))
  }

  /// Returns the next entries for the socket, in one message.
  func takeToSend(_ count: Int, now: MonotonicTime) -> [SentEntry] {
    guard isCaughtUp, now >= waitUntil else { return [] }
    let due = kept.filter { $0.entry.clientSequence >= sendNext && $0.sequence == nil }.prefix(count)
    if let last = due.last {
      sendNext = last.entry.clientSequence + 1
      isQuotaRefused = false
    }
    return due.map(\.entry)
  }

  /// Returns an entry that is sent again or too early, as a faulty client would send it.
  func takeOutOfOrder(_ random: inout SeededGenerator) -> [SentEntry] {
    let others = kept.filter { $0.entry.clientSequence != sendNext }
    guard isCaughtUp, !others.isEmpty else { return [] }
    return [others[random.below(others.count)].entry]
  }

  /// Makes room in a full session: inserts a `remove` before the refused entry. The `remove` gets the client sequence of that
  /// entry, and the client sequences of that entry and all later entries rise by one.
  ///
  /// - Returns: false, without a change, if the refused entry is not kept any more.
  func removeInstead(_ key: EntryKey, intention: Int) -> Bool {
    isQuotaRefused = false
    guard let place = kept.firstIndex(where: { $0.entry.clientSequence == sendNext }) else { return false }
    var removal = SentEntry(flags: EntryFlags(.reliable, retention: .remove), key: key)
    removal.type = Array("i\(intention)".utf8)
    removal.clientSequence = sendNext
    for index in place..<kept.count { kept[index].entry.clientSequence += 1 }
    kept.insert(Kept(entry: removal, intention: intention), at: place)
    nextClientSequence += 1
    return true
  }

  // MARK: - Joining and leaving

  var join: Join {
    var resume = token.map { Resume(token: $0, epoch: afterEpoch, after: after) }
    resume?.next = kept.first?.entry.clientSequence ?? nextClientSequence
    return Join(profile: Profile(name: name), resume: resume)
  }

  func connect(_ socket: VirtualSocket, waits: Bool) {
    self.socket = socket
    stream = FrameStream()
    isCaughtUp = false
    hasJoined = false
    isWaiting = waits
    snapshot = nil
  }

  func lost() {
    socket = nil
    isCaughtUp = false
    hasJoined = false
    isWaiting = false
    // The snapshot was interrupted, so the received entries are not a complete state.
    if snapshot != nil { after = nil }
    snapshot = nil
  }

  // MARK: - Receiving

  func receive(_ bytes: [UInt8], now: MonotonicTime, oracle: Oracle) throws {
    stream.append(bytes)
    while let message = try stream.next() {
      switch message {
      case .control(let control): try receive(control, now: now, oracle: oracle)
      case .entries(let entries): for entry in entries { try receive(entry, oracle: oracle) }
      case .close(let code, let reason):
        try require([1000, 4009].contains(code), "\(name) was closed with \(code) \(reason)")
        if code == 1000 { hasLeft = true }
        lost()
        return
      }
    }
  }

  private func receive(_ control: GatewayControl, now: MonotonicTime, oracle: Oracle) throws {
    switch control {
    case .waiting(let waiting):
      try require(isWaiting, "\(name) did not ask to wait")
      people = Dictionary(uniqueKeysWithValues: waiting.participants.map { ($0.number, $0) })
      self.waiting = [:]
    case .joined(let joined): try receive(joined)
    case .catchUp(let kind, let epoch, let sequence):
      try require(hasJoined, "catchUp before joined")
      self.epoch = epoch
      switch kind {
      case .snapshot:
        snapshot = sequence
        let isOfOtherEpoch = after != nil && afterEpoch != epoch
        wholeSince = isOfOtherEpoch ? afterEpoch.flatMap { oracle.common[$0] } : nil
        isStateAtN = true
        state = [:]
        attachments = [:]
        people = [:]
        waiting = [:]
        position = 0
      case .tail:
        guard let after else { throw Violation("\(name) got a tail without requesting one") }
        if let afterEpoch, afterEpoch != epoch {
          try require(
            after <= oracle.common[afterEpoch] ?? 0,
            "a tail after \(after) of \(afterEpoch), valid up to \(oracle.common[afterEpoch] ?? 0)")
          tailsAcrossEpochs += 1
        }
        snapshot = nil
        position = after
      }
      afterEpoch = epoch
      isCaughtUp = false
    case .caughtUp(let sequence):
      try caughtUp(sequence, oracle: oracle)
    case .committed(let sequence):
      try require(afterEpoch == epoch, "committed between joined and catchUp")
      try require(sequence <= oracle.sequence, "committed \(sequence) of \(oracle.sequence)")
      committed = max(committed, sequence)
      dropCommitted()
    case .error(let refusal): receive(refusal, now: now)
    }
  }

  private func receive(_ joined: Joined) throws {
    hasJoined = true
    isWaiting = false
    let isOtherLife = epoch != nil && epoch != joined.epoch
    if isOtherLife {
      // The new epoch may assign the sequences of the previous epoch to other entries. So the known sequences are not valid any
      // more.
      committed = 0
      for index in kept.indices { kept[index].sequence = nil }
    }
    epoch = joined.epoch
    if joined.resumed {
      try require(joined.participant.number == number, "\(name) is \(joined.participant) after a resume")
      try require(joined.token == token, "\(name) has another token after a resume")
    } else {
      try require(token == nil || isForgotten, "\(name)'s token was forgotten")
      number = joined.participant.number
      token = joined.token
      if isForgotten { numberAnew() }
      isForgotten = false
    }
    for index in kept.indices where kept[index].entry.clientSequence <= joined.acknowledged {
      kept[index].sequence = kept[index].sequence ?? joined.sequence
    }
    sendNext = joined.acknowledged + 1
    isQuotaRefused = false
    committed = max(committed, joined.committed)
    dropCommitted()
  }

  /// Gives the uncommitted entries, in their present order, the client sequences 1, 2, 3 … of a new participant (PROTOCOL 2.1).
  private func numberAnew() {
    for index in kept.indices {
      kept[index].entry.clientSequence = UInt32(index + 1)
      kept[index].sequence = nil
    }
    nextClientSequence = UInt32(kept.count + 1)
  }

  private func caughtUp(_ sequence: UInt64, oracle: Oracle) throws {
    try require(!isCaughtUp, "caughtUp twice")
    if let snapshot {
      try require(snapshot == sequence, "a snapshot of \(snapshot) ended with \(sequence)")
      let expected = oracle.state(at: sequence)
      try require(
        state == expected, "P3: \(name) holds \(state) after the snapshot of \(sequence), not \(expected)")
      self.snapshot = nil
      isStateAtN = false
    } else {
      try skip(to: sequence + 1, oracle: oracle)
    }
    position = sequence
    after = sequence
    isCaughtUp = true
  }

  /// Checks that all entries between `position` and `sequence` were targeted at other participants.
  private func skip(to sequence: UInt64, oracle: Oracle) throws {
    guard let number, position + 1 < sequence else { return }
    for missed in oracle.log[Int(position)..<Int(sequence - 1)] {
      try require(
        !missed.isFor(number), "P1, P2: \(name) (\(number)) at \(position) did not get \(missed)")
    }
  }

  private func receive(_ entry: ReceivedEntry, oracle: Oracle) throws {
    if isWaiting {
      try require(entry.typeText == "participants", "\(name) waits, but got \(entry)")
      return try applyPeople(entry)
    }
    try require(hasJoined, "an entry before joined")
    guard entry.flags.contains(.reliable) else {
      try require(isCaughtUp, "an unreliable entry before caughtUp")
      if entry.flags.contains(.system) { return try applyProgress(entry) }
      try require(unreliable.insert(entry.payload).inserted, "an unreliable entry came twice")
      try require(entry.sequence == 0 && entry.clientSequence == 0, "an unreliable entry has numbers")
      return
    }
    if entry.sequence == 0 {
      try require(
        isStateAtN && entry.flags.contains(.system),
        "an entry with sequence 0 outside the beginning of a snapshot")
      return try applySystem(entry)
    }
    try require(
      entry.sequence > position, "P2: \(name) at \(position) got \(entry.sequence) again")
    try require(entry.sequence <= oracle.sequence, "sequence \(entry.sequence) was never assigned")
    let known = oracle.log[Int(entry.sequence - 1)]
    if known.isKnown {
      try require(known.received == entry, "P1: \(entry) came instead of \(known.received)")
      try require(number.map(known.isFor) ?? false, "P7: \(entry) was not for \(name)")
    } else {
      try require(entry.flags.contains(.system) && entry.sender == 0, "\(entry) is not the gateway's")
    }
    if let snapshot {
      try require(entry.sequence <= snapshot, "\(entry.sequence) in a snapshot of \(snapshot)")
      let isSinceCrash = wholeSince.map { entry.sequence > $0 } ?? false
      try require(known.changesState || isSinceCrash, "\(entry) is in the snapshot, but not retained")
    } else {
      try skip(to: entry.sequence, oracle: oracle)
      after = after == nil ? nil : entry.sequence
    }
    if entry.flags.contains(.system) { try applySystem(entry) }
    position = entry.sequence
    apply(known)
    if entry.sender == number { cameBack(entry) }
  }

  private func apply(_ entry: Oracle.Entry) {
    guard !entry.flags.contains(.existing) else { return }
    switch entry.flags.retention {
    case .none: break
    case .append: state[entry.heldKey, default: []].append(entry.sequence)
    case .replace: state[entry.heldKey] = [entry.sequence]
    case .remove: state[entry.heldKey] = nil
    }
  }

  private func cameBack(_ entry: ReceivedEntry) {
    // This client sent its entries in order, so the gateway has accepted `entry` and all entries before it. Their sequences are
    // not higher than that of `entry`, even if the gateway did not send all of these entries back.
    for index in kept.indices
    where kept[index].entry.clientSequence <= entry.clientSequence && kept[index].sequence == nil {
      kept[index].sequence = entry.sequence
    }
    dropCommitted()
  }

  private func dropCommitted() {
    kept.removeAll { item in item.sequence.map { $0 <= committed } ?? false }
  }

  private func receive(_ refusal: Refusal, now: MonotonicTime) {
    told.append(
      Oracle.Refused(
        code: refusal.code, clientSequence: refusal.clientSequence, expected: refusal.expected,
        retryAfterMs: refusal.retryAfterMs))
    switch refusal.code {
    case .rateLimited, .sessionQuota:
      waitUntil = now.adding(milliseconds: Int(refusal.retryAfterMs ?? 0))
      if let clientSequence = refusal.clientSequence { sendNext = clientSequence }
      if refusal.code == .sessionQuota { isQuotaRefused = true }
    case .sequenceGap:
      sendNext = refusal.expected ?? sendNext
    default:
      if let index = kept.firstIndex(where: { $0.entry.clientSequence == refusal.clientSequence }) {
        givenUp.insert(kept.remove(at: index).intention)
      }
    }
  }

  private func applySystem(_ entry: ReceivedEntry) throws {
    switch entry.typeText {
    case "participants": try applyPeople(entry)
    case "activity": title = try ActivityPayload.decode(entry.payload.span).activity.title
    case "notice":
      let notice = try NoticePayload.decode(entry.payload.span)
      guard notice.code == .sessionQuota || isSaved else {
        throw Violation("an unexpected notice \(notice.code)")
      }
    case "attachment" where entry.flags.retention == .remove:
      attachments[entry.key] = nil
    case "attachment":
      attachments[entry.key] = try AttachmentObject.decode(entry.payload.span)
    default: throw Violation("an unexpected system entry \(entry.typeText)")
    }
  }

  private func applyProgress(_ entry: ReceivedEntry) throws {
    try require(
      entry.typeText == "attachmentProgress" && entry.sender == 0 && entry.sequence == 0,
      "\(entry) is not the progress of an upload")
    let progress = try AttachmentProgressPayload.decode(entry.payload.span)
    try require(
      attachments[EntryKey(progress.id)]?.state == .uploading,
      "\(progress) is not for an upload in \(attachments)")
    attachments[EntryKey(progress.id)]?.offset = progress.offset
  }

  private func applyPeople(_ entry: ReceivedEntry) throws {
    let payload = try ParticipantsPayload.decode(entry.payload.span)
    for person in payload.joined {
      people[person.number] = person
      waiting[person.number] = nil
    }
    for person in payload.waiting { waiting[person.number] = person }
    // A participant may have left while this client was still waiting to join. The tail of this client may then still announce an
    // earlier change of that participant. Such a change is ignored.
    for person in payload.changed where people[person.number] != nil { people[person.number] = person }
    for person in payload.left {
      people[person.number] = nil
      waiting[person.number] = nil
    }
  }
}
