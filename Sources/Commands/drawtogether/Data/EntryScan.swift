internal import SessionCore
internal import Wire

/// Iterates over the entries of a log in order, each once: duplicates that a compaction left are skipped.
///
/// The scan rejects the same errors as a gateway that opens the session, and keeps no entries in memory.
struct EntryScan {
  /// An entry that the scan found in a record, with its receivers.
  struct Found {
    let entry: GatewayEntry
    /// The receivers; nil for all participants.
    let targets: [ParticipantNumber]?

    /// The key under which a session retains the entry.
    var key: RetainedSet.Key {
      RetainedSet.Key(key: entry.key, isSystem: entry.flags.contains(.system))
    }
  }

  typealias Take = (Found, Span<UInt8>) throws(RecordError) -> Void

  /// Sequences stay below 2^53, the limit of exact integers in JavaScript.
  private static let sequenceEnd: UInt64 = 1 << 53

  /// The sequence of the last entry that was passed to the closure.
  private(set) var sequence: UInt64 = 0
  /// The sequence of the previous entry in the current `base` records.
  private var beforeInBase: UInt64 = 0
  /// True until the first `run` record: all `base` records of a log precede it.
  private var isAtBase = true

  /// Calls the closure `take` with each entry of a record. Only `run` and `base` records have entries.
  ///
  /// - Throws: `RecordError` for a record that a session would not write at this place of the log, and errors of `take`.
  mutating func read(_ kind: SessionRecord.Kind?, _ body: Span<UInt8>, _ take: Take) throws(RecordError) {
    switch kind {
    case .run: try readRun(body, take)
    case .base: try readBase(body, take)
    default: break
    }
  }

  private mutating func readRun(_ body: Span<UInt8>, _ take: Take) throws(RecordError) {
    isAtBase = false
    var frames = RunFrames()
    var before: UInt64 = 0
    while let frame = try frames.next(in: body) {
      var at = frame.entries.lowerBound
      while at < frame.entries.upperBound {
        let entry = try Self.entry(.run, body, at, before: frame.entries.upperBound, behind: before)
        // A targeted entry has a separate frame and is not retained.
        let isAlone = at == frame.entries.lowerBound && entry.end == frame.entries.upperBound
        guard entry.flags.contains(.targeted) == (frame.targets != nil),
          frame.targets == nil || isAlone && entry.flags.retention == .none
        else { throw RecordError(SessionRecord.Kind.run.rawValue, .targets) }
        at = entry.end
        before = entry.sequence
        guard entry.sequence > sequence else { continue }
        sequence = entry.sequence
        try take(Found(entry: entry, targets: frame.targets), body)
      }
    }
  }

  private mutating func readBase(_ body: Span<UInt8>, _ take: Take) throws(RecordError) {
    let kind = SessionRecord.Kind.base.rawValue
    guard body.count >= 8 else { throw RecordError(kind, .cutShort(needed: 8, have: body.count)) }
    guard isAtBase else { throw RecordError(kind, .behindEntries) }
    let through = body.uint64(at: 0)
    guard through < Self.sequenceEnd else { throw RecordError(kind, .sequenceTooLarge(through)) }
    guard through >= sequence else {
      throw RecordError(kind, .outOfOrder(sequence: through, after: sequence))
    }
    var at = 8
    while at < body.count {
      let entry = try Self.entry(.base, body, at, before: body.count, behind: beforeInBase)
      guard entry.sequence <= through else {
        throw RecordError(kind, .outOfOrder(sequence: through, after: entry.sequence))
      }
      guard entry.flags.retention == .append || entry.flags.retention == .replace,
        entry.flags.intersection([.targeted, .existing]).isEmpty
      else { throw RecordError(kind, .flags(entry.flags.rawValue)) }
      at = entry.end
      beforeInBase = entry.sequence
      try take(Found(entry: entry, targets: nil), body)
    }
    sequence = through
  }

  /// Parses the entry at `offset`, which must end within its frame and follow the previous entry.
  private static func entry(
    _ kind: SessionRecord.Kind, _ body: Span<UInt8>, _ offset: Int, before end: Int, behind sequence: UInt64
  ) throws(RecordError) -> GatewayEntry {
    let entry: GatewayEntry
    do throws(WireError) {
      entry = try GatewayEntry.parse(body.extracting(0..<end), at: offset)
    } catch {
      throw RecordError(kind.rawValue, .entry(error))
    }
    guard entry.flags.contains(.reliable), !entry.flags.contains(.reserved) else {
      throw RecordError(kind.rawValue, .flags(entry.flags.rawValue))
    }
    guard entry.sequence > sequence else {
      throw RecordError(kind.rawValue, .outOfOrder(sequence: entry.sequence, after: sequence))
    }
    guard entry.sequence < sequenceEnd else {
      throw RecordError(kind.rawValue, .sequenceTooLarge(entry.sequence))
    }
    return entry
  }
}
