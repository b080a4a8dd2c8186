internal import SessionCore
internal import Wire

/// Goes through the entries of a log in their order, each once: what a compaction has left twice is passed over.
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

  /// The sequence that is reached: entries up to it were given.
  private(set) var sequence: UInt64 = 0
  /// The sequence of the entry before, within the `base` records that are being read.
  private var beforeInBase: UInt64 = 0

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
    var frames = RunFrames()
    var before: UInt64 = 0
    while let frame = try frames.next(in: body) {
      var at = frame.entries.lowerBound
      while at < frame.entries.upperBound {
        let entry = try Self.entry(.run, body, at, before: frame.entries.upperBound, behind: before)
        at = entry.end
        before = entry.sequence
        guard entry.sequence > sequence else { continue }
        sequence = entry.sequence
        try take(Found(entry: entry, targets: frame.targets), body)
      }
    }
  }

  private mutating func readBase(_ body: Span<UInt8>, _ take: Take) throws(RecordError) {
    guard body.count >= 8 else {
      throw RecordError(SessionRecord.Kind.base.rawValue, .cutShort(needed: 8, have: body.count))
    }
    var at = 8
    while at < body.count {
      let entry = try Self.entry(.base, body, at, before: body.count, behind: beforeInBase)
      at = entry.end
      beforeInBase = entry.sequence
      try take(Found(entry: entry, targets: nil), body)
    }
    sequence = max(sequence, body.uint64(at: 0))
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
    guard entry.sequence > sequence else {
      throw RecordError(kind.rawValue, .outOfOrder(sequence: entry.sequence, after: sequence))
    }
    return entry
  }
}
