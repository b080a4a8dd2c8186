internal import SessionCore
internal import Wire

/// Goes through the entries of a log in their order, each once: what a compaction has left twice is passed over.
///
/// It refuses what a gateway that opens the session would refuse, and holds none of it in memory.
struct EntryScan {
  /// An entry where it lies in its record.
  struct Found {
    let entry: GatewayEntry
    /// Who gets it; nil: everybody.
    let targets: [ParticipantNumber]?

    /// What a session holds it under.
    var key: RetainedSet.Key {
      RetainedSet.Key(key: entry.key, isSystem: entry.flags.contains(.system))
    }
  }

  typealias Take = (Found, Span<UInt8>) throws(RecordError) -> Void

  /// Sequences stay below 2^53, so that a browser can count them.
  private static let sequenceEnd: UInt64 = 1 << 53

  /// The sequence that is reached: entries up to it were given.
  private(set) var sequence: UInt64 = 0
  /// The sequence of the entry before, within the `base` records that are being read.
  private var beforeInBase: UInt64 = 0
  /// Whether `base` records may still come: they stand before all runs.
  private var isAtBase = true

  /// Gives the entries of a record; none of one of another kind.
  ///
  /// - Throws: when the record is not one that a session writes there, and what `take` throws.
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
        // What is for some is a frame of its own, and kept for nobody else.
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

  /// Cuts the entry at `offset`, which has to end within its frame and to follow the one before.
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
