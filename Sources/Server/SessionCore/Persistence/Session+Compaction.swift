internal import Wire

/// With what a session's file is begun anew, without what no longer counts.
package struct CompactionPlan: Sendable {
  /// Entries up to this one are told of by what is retained of them.
  package let through: UInt64
  /// The session, its numbers, its people and its attachments: they come first.
  package let head: [SessionRecord]
}

/// Some of what is retained, in rising sequence.
package struct CompactionSlice: Sendable {
  /// A `base` record.
  package let record: SessionRecord
  /// Where the next slice goes on.
  package let last: UInt64
}

/// How a session's file is made smaller: what it retains is written anew, a slice at a time, and the newest records are
/// taken over as they are.
///
/// A slice leaves out what has died since the compaction began, so the new file may take the old one's place only when
/// `isCompactionCovered`: what it died of is in it then.
extension Session {
  /// How many bytes of the base are looked at for one slice, however few of them are held.
  private static let scannedBytes = 1_048_576
  /// How many bytes of a file are worth no compaction.
  private static let slackBytes = 1_048_576

  /// Whether compaction is worth its while.
  ///
  /// - Parameter logBytes: the length of the session's file.
  /// - Returns: whether more than half of the file would go, and more than 1 MiB.
  package func shouldCompact(logBytes: Int) -> Bool {
    // What follows the entries that the slices tell of must be in the file: all behind it is taken over, and what people and
    // files come to be known by later.
    guard isByStore, log.droppedThrough > 0, committed > log.droppedThrough else { return false }
    let people = 256 * participants.count + 512 * journal.records.count
    return logBytes > 2 * (retainedBytes + log.recordBytes + people) + Self.slackBytes
  }

  /// What the new file begins with.
  package func beginCompaction() -> CompactionPlan {
    // The records of the head may be ahead of the entries behind them. These entries are on disk before the new file is used.
    announcePresence()
    save.slicedAt = log.lastSequence
    var header = headerRecord
    header.waiting = participants.waiting.compactMap { participants[$0] }.map {
      SessionHeaderRecord.Waiting(id: $0.id, number: $0.number)
    }
    var head = [
      header.encoded, NumbersRecord(through: max(save.numbersOnDisk, save.opening?.numbers ?? 0)).encoded,
    ]
    // Participants of whom only the name is known left before all others.
    for former in participants.formerSenders.values.sorted(by: { $0.number < $1.number }) {
      let record = ParticipantRecord(participant: former, digest: nil, acknowledged: 0, presence: .left)
      head.append(record.encoded)
    }
    let past = Set(participants.past)
    let present = participants.values.filter { !past.contains($0.number) }.sorted { $0.number < $1.number }
    // The oldest past participant comes first: they are forgotten in this order.
    for participant in present + participants.past.compactMap({ participants[$0] }) {
      if let record = participant.record { head.append(record.encoded) }
    }
    for attachment in journal.inOrder {
      if let record = journal.uploadRecord(attachment.object.id) { head.append(record.encoded) }
    }
    return CompactionPlan(through: log.droppedThrough, head: head)
  }

  /// The next of what is retained of the entries up to `through`.
  ///
  /// - Parameters:
  ///   - after: 0, and then where the slice before ended.
  ///   - through: the plan's.
  /// - Returns: nil when there is no more.
  package func compactionSlice(after: UInt64, through: UInt64) -> CompactionSlice? {
    guard after < through else { return nil }
    var body: [UInt8] = []
    body.append(bigEndian: through)
    save.slicedAt = log.lastSequence
    let last = retained.snapshot.copyRetained(
      after: after, through: through, retained.index, limit: SessionRecord.baseBytes,
      scanning: Self.scannedBytes,
      to: &body)
    return CompactionSlice(record: SessionRecord(kind: .base, body: body), last: last)
  }
}

extension Session {
  /// Whether everything is on disk that the slices so far took into account.
  package var isCompactionCovered: Bool { committed >= save.slicedAt }
}

extension SnapshotSegments {
  /// Appends held entries in rising sequence to `bytes`, until there are `limit` bytes or so many were looked at.
  ///
  /// - Returns: the sequence up to which nothing is left; `through` when all was looked at.
  func copyRetained(
    after: UInt64, through: UInt64, _ index: RetentionIndex, limit: Int, scanning budget: Int,
    to bytes: inout [UInt8]
  ) -> UInt64 {
    var scanned = 0
    var reached = after
    let first = segments.partitionIndex { ($0.frames.last?.lastSequence ?? 0) > after }
    for segment in segments[first...] {
      let start = segment.frames.partitionIndex { $0.lastSequence > after }
      var at = segment.frameStart(start)
      for frame in segment.frames[start...] {
        guard scanned < budget else { return reached }
        scanned += frame.end - at
        var offset = at + frame.headerLength
        while offset < frame.end {
          let entry = StoredEntry(segment.bytes.span, at: offset)
          offset = entry.end
          guard entry.sequence > after else { continue }
          guard entry.sequence <= through else { return through }
          if entry.flags.retention != .remove, entry.kept(index) != nil {
            guard bytes.count <= 8 || bytes.count + entry.length <= limit else { return reached }
            bytes.append(contentsOf: segment.bytes[entry.start..<entry.end])
          }
          reached = entry.sequence
        }
        at = frame.end
      }
    }
    return through
  }
}
