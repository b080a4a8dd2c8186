package import FoundationEssentials
package import Wire
package import Primitives

/// Makes a session again out of its records, in the order in which they stand on disk.
///
/// What it makes is what a live session would hold: the same log, index and base. Every record is checked before it is taken;
/// one that no session wrote is an error and never a trap. Any thread may use it, one at a time.
package struct SessionRestorer: ~Copyable {
  /// Sequences stay below 2^53, so that a browser can count them.
  private static let sequenceEnd: UInt64 = 1 << 53

  let id: SessionID
  let limits: Limits
  let rates: RateBucket.Rates
  let digest: @Sendable (Token) -> TokenDigest
  let now: MonotonicTime
  let date: Date

  var log: SegmentLog
  var index = RetentionIndex()
  var snapshotSegments = SnapshotSegments()
  var snapshotEnd: Cursor
  /// The sequence of the last entry that a `base` record held.
  private var baseReached: UInt64 = 0

  var facts: SessionHeaderRecord?
  /// The state that the entries so far announce.
  var announced = AnnouncedState(activity: nil)
  /// True when the last `session` record is older than a backup, or than the end that was taken back.
  var isRestored = false
  /// Numbers up to this one may have been given out.
  var numbers: ParticipantNumber = 0
  var people: [ParticipantNumber: ParticipantState] = [:]
  /// Who is gone, with a count that rises from one to the next.
  var gone: [ParticipantNumber: Int] = [:]
  private var departures = 0
  /// Bytes of `used` records.
  var usedBytes = 0
  /// The sender of the last entry, who as a rule sent the next one too.
  private var sender: ParticipantState?
  /// What is told of each attachment: the newest payload, and its sequence.
  var attachments: [EntryKey: (payload: [UInt8], sequence: UInt64)] = [:]
  /// What was written of attachments besides, for each file of an id the newest.
  private var uploads: [UUID: [UploadRecord]] = [:]
  var ended: EndRecord?
  /// What the last record says, if it put the session away.
  var closing: ClosedRecord?
  /// The number of lost bytes, with the frames of the records.
  private(set) var lostBytes = 0
  /// The last sequence that was read before the first lost byte; `nil` when nothing is lost.
  private(set) var wholeThrough: UInt64?

  /// A session of which nothing is known yet.
  ///
  /// - Parameters:
  ///   - id: the session that its log must be of.
  ///   - limits: those in force.
  ///   - digest: the first 128 bits of a token's SHA-256.
  ///   - now: the present moment: who was here has the grace time from it on.
  ///   - date: the same by the calendar.
  package init(
    id: SessionID, limits: Limits, digest: @escaping @Sendable (Token) -> TokenDigest, now: MonotonicTime,
    date: Date
  ) {
    self.id = id
    self.limits = limits
    rates = RateBucket.Rates(
      entriesPerSecond: limits.entriesPerSecond, bytesPerSecond: limits.bytesPerSecond)
    self.digest = digest
    self.now = now
    self.date = date
    log = SegmentLog(tailBytes: limits.catchUpTailBytes)
    snapshotEnd = Cursor(segment: log.firstSegment, offset: 0)
  }

  /// Takes the next record. After an error nothing more is to be asked of it.
  ///
  /// - Parameters:
  ///   - kind: as it stands in the file; 0 is the store's own, and says nothing of the session.
  ///   - body: the record's bytes.
  /// - Throws: `RecordError`, when it is no record that a session wrote there.
  package mutating func apply(_ kind: UInt8, _ body: Span<UInt8>) throws(RecordError) {
    guard kind != 0 else { return }
    guard let known = SessionRecord.Kind(rawValue: kind) else { throw RecordError(kind, .unknownKind) }
    closing = nil
    switch known {
    case .session:
      let said = try SessionHeaderRecord(body)
      guard said.id == id else { throw RecordError(.session, .otherSession) }
      if said.epoch != facts?.epoch { forgetLostUploads() }
      if facts == nil { announced = AnnouncedState(activity: said.activityPayload) }
      facts = said
      isRestored = false
      // An ended session gets no `session` record, so the record that took its end back is lost.
      ended = nil
    case .participant: try take(try ParticipantRecord(body))
    case .numbers: numbers = max(numbers, try NumbersRecord(body).through)
    case .run: try takeRun(body)
    case .base: try takeBase(body)
    case .used:
      usedBytes += body.count
      for pair in try ConsumedSequencesRecord(body).pairs {
        guard let record = people[pair.number] else { continue }
        record.acknowledged = max(record.acknowledged, pair.clientSequence)
      }
    case .upload: take(try UploadRecord(body))
    case .closed:
      let said = try ClosedRecord(body)
      closing = said
      // The notice is still due if no participant was sent it.
      facts?.isDamaged = said.isDamaged
    case .end:
      ended = try EndRecord(body)
      // Nobody is in a session that has ended, nor comes back to it as if nothing had happened when that is undone.
      for record in people.values.sorted(by: { $0.number < $1.number }) {
        guard case .away = record.presence else { continue }
        record.presence = .past
        departures += 1
        gone[record.number] = departures
      }
    case .restored:
      _ = try RestoredRecord(body)
      ended = nil
      isRestored = true
    }
    if known != .base { log.addRecordBytes(body.count, at: log.lastSequence) }
  }

  /// Records the loss of records at this place, which have that many bytes with their frames. The records behind count unchanged.
  package mutating func skip(_ byteCount: Int) {
    lostBytes += byteCount
    // The retained entries before the first run may be lost too.
    wholeThrough = wholeThrough ?? (log.appendedBytes == 0 ? 0 : log.lastSequence)
    closing = nil
  }

  /// What was written of an attachment besides its entries, as far as these go.
  func facts(_ id: UUID) -> UploadRecord? {
    uploads[id]?.filter { $0.sequence <= log.lastSequence }.max { $0.sequence < $1.sequence }
  }

  // MARK: - People and files

  private mutating func take(_ facts: ParticipantRecord) throws(RecordError) {
    let said = facts.participant
    guard said.number <= NumbersRecord.highest else {
      throw RecordError(.participant, .numberTooLarge(UInt64(said.number)))
    }
    numbers = max(numbers, said.number)
    let record: ParticipantState
    if let known = people[said.number] {
      guard known.id == said.id else { throw RecordError(.participant, .wrongMember("id")) }
      record = known
    } else {
      record = ParticipantState(
        id: said.id, number: said.number, name: said.name, color: said.color,
        bucket: RateBucket(rates, at: now))
      people[said.number] = record
    }
    record.name = said.name
    record.color = said.color
    record.digest = facts.digest
    record.acknowledged = max(record.acknowledged, facts.acknowledged)
    switch facts.presence {
    case .active:
      record.presence = .away(until: now.adding(seconds: limits.graceSeconds))
      gone[said.number] = nil
      return
    case .past: record.presence = .past
    case .left: record.presence = .left
    }
    // The last record counts: a compacted file tells of all who are gone, and then again of some in their order.
    departures += 1
    gone[said.number] = departures
  }

  private mutating func take(_ said: UploadRecord) {
    var known = uploads[said.id] ?? []
    if let place = known.firstIndex(where: { $0.file == said.file }) {
      // In a compacted file an older record may follow.
      known[place].content = said.content ?? known[place].content
    } else {
      known.append(said)
    }
    uploads[said.id] = known
  }

  /// Another life of the order begins, and gives the sequences again of entries that are not here: what was written of
  /// attachments that they would have added is about nothing.
  private mutating func forgetLostUploads() {
    for (id, known) in uploads {
      let kept = known.filter { $0.sequence <= log.lastSequence }
      if kept.count < known.count { uploads[id] = kept.isEmpty ? nil : kept }
    }
  }

  // MARK: - Entries

  private mutating func takeRun(_ body: Span<UInt8>) throws(RecordError) {
    var frames = RunFrames()
    while let frame = try frames.next(in: body) { try take(frame, of: body) }
    log.endTurn()
    while log.oldestCanGo(tailBytes: limits.catchUpTailBytes) {
      log.dropOldest(into: &snapshotSegments, &index, snapshotEnd: &snapshotEnd)
    }
  }

  /// Takes the entries of a frame behind those that are there already: a compacted file repeats some.
  private mutating func take(_ frame: RunFrames.Frame, of body: Span<UInt8>) throws(RecordError) {
    let reached = log.lastSequence
    var at = frame.entries.lowerBound
    var start = at
    var first: UInt64 = 0
    var last: UInt64 = 0
    var count = 0
    while at < frame.entries.upperBound {
      let entry = try GatewayEntry.parse(body, at: at, before: frame.entries.upperBound, of: .run)
      try check(entry, after: last, in: .run)
      guard entry.flags.contains(.targeted) == (frame.targets != nil),
        frame.targets == nil
          || entry.end == frame.entries.upperBound && at == frame.entries.lowerBound
            && entry.flags.retention == .none
      else { throw RecordError(.run, .targets) }
      last = entry.sequence
      if entry.sequence > reached {
        if count == 0 {
          start = at
          first = entry.sequence
        }
        count += 1
        recordSender(of: entry)
        if entry.flags.contains(.system), entry.flags.retention == .none { announced.apply(entry, in: body) }
        if entry.flags.retention != .none, !entry.flags.contains(.existing) {
          Self.retain(entry, length: entry.end - at, &index, &snapshotSegments)
          recordAttachment(entry, body)
        }
      }
      at = entry.end
    }
    guard count > 0 else { return }
    log.replay(
      body.extracting(start..<frame.entries.upperBound), firstSequence: first, lastSequence: last,
      entryCount: count, targets: frame.targets)
  }

  private mutating func takeBase(_ body: Span<UInt8>) throws(RecordError) {
    guard body.count >= 8 else { throw RecordError(.base, .cutShort(needed: 8, have: body.count)) }
    guard log.appendedBytes == 0 else { throw RecordError(.base, .behindEntries) }
    let through = body.uint64(at: 0)
    guard through < Self.sequenceEnd else { throw RecordError(.base, .sequenceTooLarge(through)) }
    if log.droppedThrough == 0 {
      // The records so far are the head of a compacted log.
      announced = AnnouncedState(
        activity: facts?.activityPayload, participants: people.values.filter(\.isActive).map(\.participant),
        waiting: facts?.waiting ?? [])
    }
    guard through >= log.droppedThrough else {
      throw RecordError(.base, .outOfOrder(sequence: through, after: log.droppedThrough))
    }
    var at = 8
    while at < body.count {
      let entry = try GatewayEntry.parse(body, at: at, before: body.count, of: .base)
      try check(entry, after: baseReached, in: .base)
      guard entry.sequence <= through else {
        throw RecordError(.base, .outOfOrder(sequence: through, after: entry.sequence))
      }
      let retention = entry.flags.retention
      guard retention == .append || retention == .replace,
        entry.flags.intersection([.targeted, .existing]).isEmpty
      else { throw RecordError(.base, .flags(entry.flags.rawValue)) }
      baseReached = entry.sequence
      recordSender(of: entry)
      recordAttachment(entry, body)
      snapshotSegments.append(entry, at: at, of: body, index: &index)
      at = entry.end
    }
    snapshotSegments.endAppending()
    log.begin(after: through)
  }

  private func check(
    _ entry: GatewayEntry, after last: UInt64, in kind: SessionRecord.Kind
  ) throws(RecordError) {
    guard entry.flags.contains(.reliable), !entry.flags.contains(.reserved) else {
      throw RecordError(kind, .flags(entry.flags.rawValue))
    }
    guard entry.sequence > last else {
      throw RecordError(kind, .outOfOrder(sequence: entry.sequence, after: last))
    }
    guard entry.sequence < Self.sequenceEnd else {
      throw RecordError(kind, .sequenceTooLarge(entry.sequence))
    }
  }

  private static func retain(
    _ entry: GatewayEntry, length: Int, _ index: inout RetentionIndex,
    _ snapshotSegments: inout SnapshotSegments
  ) {
    let key = RetainedKey(key: entry.key, isSystem: entry.flags.contains(.system))
    index.apply(entry.flags.retention, key: key, sequence: entry.sequence, length: length) {
      snapshotSegments.markGarbage($0, $1)
    }
  }

  /// The entry says how far its sender has come, and that something of theirs may be in a snapshot.
  private mutating func recordSender(of entry: GatewayEntry) {
    guard entry.sender != 0 else { return }
    // The record with the sender's number may be lost.
    if lostBytes > 0, entry.sender <= NumbersRecord.highest { numbers = max(numbers, entry.sender) }
    if sender?.number != entry.sender { sender = people[entry.sender] }
    guard let sender else { return }
    sender.acknowledged = max(sender.acknowledged, entry.clientSequence)
    if entry.flags.retention != .none, !entry.flags.contains(.existing) { sender.hasRetained = true }
  }

  private mutating func recordAttachment(_ entry: GatewayEntry, _ body: Span<UInt8>) {
    guard entry.flags.contains(.system) else { return }
    guard entry.flags.retention != .remove else {
      attachments[entry.key] = nil
      return
    }
    var payload: [UInt8] = []
    payload.append(body.extracting(entry.payload))
    attachments[entry.key] = (payload, entry.sequence)
  }
}
