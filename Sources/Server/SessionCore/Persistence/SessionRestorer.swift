package import FoundationEssentials
package import Wire
package import Primitives

/// Restores a session from its records, in the order in which they are on disk.
///
/// The result equals a live session: the same log, index and snapshot segments. Every record is checked before it is applied; an
/// impossible record causes an error and never a crash. Any thread may use a restorer, but only one thread at a time.
package struct SessionRestorer: ~Copyable {
  /// The end of the valid sequences. Every sequence must be lower, because JavaScript represents whole numbers exactly only up to
  /// 2^53.
  private static let sequenceEnd: UInt64 = 1 << 53

  let id: SessionID
  let limits: Limits
  let rates: EntryRateLimiter.Rates
  let digest: @Sendable (Token) -> TokenDigest
  let now: MonotonicTime
  let date: Date

  var log: SegmentLog
  var retained: RetainedState
  /// The sequence of the last entry in a `base` record.
  private var baseReached: UInt64 = 0

  var header: SessionHeaderRecord?
  /// The state that the applied entries have announced.
  var announced = AnnouncedState(activity: nil)
  /// True when a `restored` record follows the last `session` record.
  var isRestored = false
  /// The highest participant number that may have been assigned.
  var numbers: ParticipantNumber = 0
  var participants: [ParticipantNumber: ParticipantState] = [:]
  /// The past participants, each with a number that is higher for a later departure.
  var departed: [ParticipantNumber: Int] = [:]
  private var departures = 0
  /// The number of bytes of all `used` records that were read.
  var consumedBytes = 0
  /// The sender of the last entry. The next entry often has the same sender, and then needs no lookup.
  private var sender: ParticipantState?
  /// The newest payload of each attachment, and its sequence.
  var attachments: [EntryKey: (payload: [UInt8], sequence: UInt64)] = [:]
  /// The `upload` records of each attachment: the newest one for each of its files.
  private var uploads: [UUID: [UploadRecord]] = [:]
  var ended: EndRecord?
  /// The `closed` record, if it is the last record.
  var closing: ClosedRecord?
  /// The number of lost bytes, including the framing of the lost records.
  private(set) var lostBytes = 0
  /// The last sequence that was read before the first lost byte; nil when nothing is lost.
  private(set) var wholeThrough: UInt64?

  /// Creates a restorer that has read no record.
  ///
  /// - Parameters:
  ///   - id: the session that the log must belong to.
  ///   - limits: the limits in force.
  ///   - digest: returns the first 128 bits of a token's SHA-256.
  ///   - now: the present time, at which the grace time of the active participants begins.
  ///   - date: the present wall time.
  package init(
    id: SessionID, limits: Limits, digest: @escaping @Sendable (Token) -> TokenDigest, now: MonotonicTime,
    date: Date
  ) {
    self.id = id
    self.limits = limits
    rates = EntryRateLimiter.Rates(
      entriesPerSecond: limits.entriesPerSecond, bytesPerSecond: limits.bytesPerSecond)
    self.digest = digest
    self.now = now
    self.date = date
    log = SegmentLog(tailBytes: limits.catchUpTailBytes)
    retained = RetainedState(firstSegment: log.firstSegment)
  }

  /// Applies the next record. After an error, the restorer must not be used any more.
  ///
  /// - Parameters:
  ///   - kind: the number of the record's kind in the file. A record of kind 0 belongs to the store itself and is ignored.
  ///   - body: the record's bytes.
  /// - Throws: `RecordError` for a record that no session writes at this place.
  package mutating func apply(_ kind: UInt8, _ body: Span<UInt8>) throws(RecordError) {
    guard kind != 0 else { return }
    guard let known = SessionRecord.Kind(rawValue: kind) else { throw RecordError(kind, .unknownKind) }
    closing = nil
    switch known {
    case .session: try apply(try SessionHeaderRecord(body))
    case .participant: try apply(try ParticipantRecord(body))
    case .numbers: numbers = max(numbers, try NumbersRecord(body).through)
    case .run: try applyRun(body)
    case .base: try applyBase(body)
    case .used:
      consumedBytes += body.count
      for pair in try ConsumedSequencesRecord(body).pairs {
        guard let participant = participants[pair.number] else { continue }
        participant.acknowledged = max(participant.acknowledged, pair.clientSequence)
      }
    case .upload: apply(try UploadRecord(body))
    case .closed:
      let record = try ClosedRecord(body)
      closing = record
      // If `isDamaged` is set, no participant has received the notice of the loss yet, so this session has to send it.
      header?.isDamaged = record.isDamaged
    case .end:
      ended = try EndRecord(body)
      // An ended session has no active participants, even if its end is undone later.
      for participant in participants.values.sorted(by: { $0.number < $1.number }) {
        guard case .away = participant.presence else { continue }
        participant.presence = .past
        departures += 1
        departed[participant.number] = departures
      }
    case .restored:
      _ = try RestoredRecord(body)
      ended = nil
      isRestored = true
    case .time: _ = try TimeRecord(body)
    }
    if known != .base { log.addRecordBytes(body.count, at: log.lastSequence) }
  }

  /// Records that the log lost records after the last applied record. The records after the loss are applied as usual.
  ///
  /// - Parameter byteCount: the number of lost bytes, including the frames.
  package mutating func skip(_ byteCount: Int) {
    lostBytes += byteCount
    // If no run was read before the loss, retained entries in `base` records may be lost too. So `wholeThrough` is 0 in this
    // case.
    wholeThrough = wholeThrough ?? (log.appendedBytes == 0 ? 0 : log.lastSequence)
    closing = nil
  }

  /// Returns the `upload` record of an attachment whose entry was read.
  func uploadRecord(_ id: UUID) -> UploadRecord? {
    uploads[id]?.filter { $0.sequence <= log.lastSequence }.max { $0.sequence < $1.sequence }
  }

  // MARK: - Participants and files

  private mutating func apply(_ record: SessionHeaderRecord) throws(RecordError) {
    guard record.id == id else { throw RecordError(.session, .otherSession) }
    if record.epoch != header?.epoch { forgetLostUploads() }
    if header == nil { announced = AnnouncedState(activity: record.activityPayload) }
    header = record
    isRestored = false
    // An ended session writes no `session` record. So if `ended` is set here, the `restored` record that undid the end was lost.
    ended = nil
  }

  private mutating func apply(_ record: ParticipantRecord) throws(RecordError) {
    let object = record.participant
    guard object.number <= NumbersRecord.highest else {
      throw RecordError(.participant, .numberTooLarge(UInt64(object.number)))
    }
    numbers = max(numbers, object.number)
    let participant: ParticipantState
    if let known = participants[object.number] {
      guard known.id == object.id else { throw RecordError(.participant, .invalidMember("id")) }
      participant = known
    } else {
      participant = ParticipantState(
        id: object.id, number: object.number, name: object.name, color: object.color,
        rateLimiter: EntryRateLimiter(rates, at: now))
      participants[object.number] = participant
    }
    participant.name = object.name
    participant.color = object.color
    participant.requestedColor = record.requestedColor ?? RGBColor(object.color)
    participant.digest = record.digest
    participant.acknowledged = max(participant.acknowledged, record.acknowledged)
    switch record.presence {
    case .active:
      participant.presence = .away(until: now.adding(seconds: limits.graceSeconds))
      departed[object.number] = nil
      return
    case .past: participant.presence = .past
    case .left: participant.presence = .left
    }
    // Only the last record of a participant counts. A compacted file has a record of every past participant at its head, and may
    // have newer records of some participants later.
    departures += 1
    departed[object.number] = departures
  }

  private mutating func apply(_ record: UploadRecord) {
    var known = uploads[record.id] ?? []
    if let index = known.firstIndex(where: { $0.file == record.file }) {
      // In a compacted file, an older record without the content may follow a newer one. So a known content is kept.
      known[index].content = record.content ?? known[index].content
    } else {
      known.append(record)
    }
    uploads[record.id] = known
  }

  /// Removes the `upload` records whose attachments were added by lost entries. Such a record contains the sequence of its lost
  /// entry, and the new epoch assigns this sequence to another entry.
  private mutating func forgetLostUploads() {
    for (id, known) in uploads {
      let kept = known.filter { $0.sequence <= log.lastSequence }
      if kept.count < known.count { uploads[id] = kept.isEmpty ? nil : kept }
    }
  }

  // MARK: - Entries

  private mutating func applyRun(_ body: Span<UInt8>) throws(RecordError) {
    var frames = RunFrames()
    while let frame = try frames.next(in: body) { try apply(frame, of: body) }
    log.endTurn()
    while log.oldestCanGo(tailBytes: limits.catchUpTailBytes) { retained.dropOldest(of: &log) }
  }

  /// Applies those entries of a frame that were not applied before. A compacted file repeats some entries.
  private mutating func apply(_ frame: RunFrames.Frame, of body: Span<UInt8>) throws(RecordError) {
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
          retained.apply(
            entry.flags.retention,
            key: RetainedKey(key: entry.key, isSystem: entry.flags.contains(.system)),
            sequence: entry.sequence, length: entry.end - at)
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

  private mutating func applyBase(_ body: Span<UInt8>) throws(RecordError) {
    guard body.count >= 8 else { throw RecordError(.base, .cutShort(needed: 8, have: body.count)) }
    guard log.appendedBytes == 0 else { throw RecordError(.base, .behindEntries) }
    let through = body.uint64(at: 0)
    guard through < Self.sequenceEnd else { throw RecordError(.base, .sequenceTooLarge(through)) }
    if log.droppedThrough == 0 {
      // All records before this one are the head of a compacted log.
      announced = AnnouncedState(
        activity: header?.activityPayload, participants: participants.values.filter(\.isActive).map(\.object),
        waiting: header?.waiting ?? [])
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
      retained.append(entry, at: at, of: body)
      at = entry.end
    }
    retained.endAppending()
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

  /// Updates the sender's `acknowledged`, and records that a snapshot may contain the sender's entries.
  private mutating func recordSender(of entry: GatewayEntry) {
    guard entry.sender != 0 else { return }
    // The record that assigned the sender's number may be lost.
    if lostBytes > 0, entry.sender <= NumbersRecord.highest { numbers = max(numbers, entry.sender) }
    if sender?.number != entry.sender { sender = participants[entry.sender] }
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
