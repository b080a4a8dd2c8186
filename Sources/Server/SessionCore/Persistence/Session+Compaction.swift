internal import Wire

/// The plan of a compacted file: its first records, and the sequence after which the old file's records are copied.
package struct CompactionPlan: Sendable {
  /// The last sequence that the slices cover. The slices contain the retained entries up to this sequence.
  package let through: UInt64
  /// The first records of the file: the session, the highest participant number, the participants and the attachments.
  package let head: [SessionRecord]

  /// Creates the plan of a compacted file.
  package init(through: UInt64, head: [SessionRecord]) {
    self.through = through
    self.head = head
  }

  /// Returns the records of the compacted file.
  ///
  /// - Parameters:
  ///   - slices: the records of all slices.
  ///   - old: the records of the old file. The copy begins with the first run that has entries after `through`.
  /// - Returns: the head, the slices and the copied records.
  /// - Throws: `RecordError` for a run that no session wrote.
  package func records(
    _ slices: [SessionRecord], copying old: [SessionRecord]
  ) throws(RecordError) -> [SessionRecord] {
    var first = old.count
    for (index, record) in old.enumerated() where record.kind == .run {
      guard let last = try RunFrames.lastSequence(in: record.body.span), last > through else { continue }
      first = index
      break
    }
    return head + slices + old[first...]
  }
}

/// A part of the retained entries, in rising sequence.
package struct CompactionSlice: Sendable {
  /// The slice as a `base` record.
  package let record: SessionRecord
  /// The sequence after which the next slice begins.
  package let last: UInt64
}

/// The compaction of a session's file. A compaction writes the retained entries to a new file in slices, and copies the newest
/// records without a change.
///
/// A slice omits entries that were replaced or removed after the compaction began. So the new file may replace the old one only
/// when `isCompactionCovered` is true: then the new file also has the newer entries that replaced or removed the omitted entries.
extension Session {
  /// The maximum number of bytes of snapshot segments that are read for one slice, even if few of these bytes belong to retained
  /// entries.
  private static let scannedBytes = 1_048_576
  /// The number of garbage bytes that a file must exceed before a compaction is worthwhile.
  private static let slackBytes = 1_048_576

  /// Returns true if a compaction is worthwhile.
  ///
  /// - Parameter logBytes: the length of the session's file.
  /// - Returns: true if the compaction would free more than half of the file and more than 1 MiB.
  package func shouldCompact(logBytes: Int) -> Bool {
    // The new file consists of the head, slices with the entries up to `droppedThrough`, and copies of the old file's records,
    // beginning with the first later entry. The copies may contain newer states of participants and attachments than the head.
    // Without a later entry on disk, nothing would be copied and these states would be lost. So there is no compaction in this
    // case.
    guard isByStore, log.droppedThrough > 0, committed > log.droppedThrough else { return false }
    let people = 256 * participants.count + 512 * journal.records.count
    return logBytes > 2 * (retainedBytes + log.recordBytes + people) + Self.slackBytes
  }

  /// Begins a compaction, and returns the plan of the new file.
  package mutating func beginCompaction() -> CompactionPlan {
    // The head of the new file lists the present participants. So changes of presence are announced before the head is made.
    // `slicedAt` includes the entries of these announcements, so that the new file replaces the old one only after these entries
    // are on disk.
    announcePresence()
    save.slicedAt = log.lastSequence
    var header = headerRecord
    header.waiting = participants.waiting.compactMap { participants[$0] }.map {
      SessionHeaderRecord.Waiting(id: $0.id, number: $0.number)
    }
    var head = [
      header.encoded, NumbersRecord(through: max(save.numbersOnDisk, save.opening?.numbers ?? 0)).encoded,
    ]
    // Forgotten participants come first, because they left before all other past participants. Their tokens and acknowledged
    // client sequences are no longer known.
    for former in participants.formerSenders.values.sorted(by: { $0.number < $1.number }) {
      let record = ParticipantRecord(participant: former, digest: nil, acknowledged: 0, presence: .left)
      head.append(record.encoded)
    }
    let past = Set(participants.past)
    let present = participants.values.filter { !past.contains($0.number) }.sorted { $0.number < $1.number }
    // Past participants are written in the order in which they left. A load that reads too many of them forgets the first ones.
    for participant in present + participants.past.compactMap({ participants[$0] }) {
      if let record = participant.record { head.append(record.encoded) }
    }
    for attachment in journal.inOrder {
      if let record = journal.uploadRecord(attachment.object.id) { head.append(record.encoded) }
    }
    return CompactionPlan(through: log.droppedThrough, head: head)
  }

  /// Returns the next slice of the retained entries up to `through`.
  ///
  /// - Parameters:
  ///   - after: 0 for the first slice; for each further slice, the value `last` of the previous slice.
  ///   - through: the value `through` of the `CompactionPlan`.
  /// - Returns: nil if no entries are left.
  package mutating func compactionSlice(after: UInt64, through: UInt64) -> CompactionSlice? {
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
  /// True when all changes that the previous slices depend on are on disk.
  package var isCompactionCovered: Bool { committed >= save.slicedAt }
}

extension SnapshotSegments {
  /// Appends retained entries in rising sequence to `bytes`. Ends after `limit` appended bytes, or after about `budget` bytes
  /// were read.
  ///
  /// - Returns: the sequence up to which all retained entries were appended; `through` when no entries are left.
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
