internal import Wire

/// The records of the log on disk.
extension SegmentLog {
  /// Returns whole frames after `sequence` as the body of a `run` record. The body has about `limit` bytes and at least one
  /// frame.
  /// - Returns: the body, the last sequence in the body, and the number of bytes that these frames added to `appendedBytes`; nil
  ///   if there are no such frames.
  func run(after sequence: UInt64, upTo limit: Int) -> (body: [UInt8], lastSequence: UInt64, logBytes: Int)? {
    var body: [UInt8] = []
    body.reserveCapacity(min(limit, appendedBytes - savedBytes + 256))
    var last = sequence
    var logBytes = 0
    let first = segments.partitionIndex { ($0.frames.last?.lastSequence ?? .max) > sequence }
    frames: for segment in segments[first...] {
      let start = segment.frames.partitionIndex { $0.lastSequence > sequence }
      var at = segment.frameStart(start)
      for frame in segment.frames[start...] {
        let entries = at + frame.headerLength..<frame.end
        let targets = frame.targets < 0 ? nil : segment.targetLists[frame.targets]
        let length = 8 + 4 * (targets?.count ?? 0) + entries.count
        guard body.isEmpty || body.count + length <= limit else { break frames }
        RunFrames.append(targets: targets, length: entries.count, to: &body)
        body.append(contentsOf: segment.bytes[entries])
        last = frame.lastSequence
        logBytes += frame.end - at + 4 * (targets?.count ?? 0)
        at = frame.end
      }
    }
    return body.isEmpty ? nil : (body, last, logBytes)
  }

  /// Counts `count` bytes of records that were written to disk or read from disk. The last entry of these records has the given
  /// sequence.
  mutating func addRecordBytes(_ count: Int, at sequence: UInt64) {
    let index = segments.partitionIndex { ($0.frames.last?.lastSequence ?? .max) >= sequence }
    segments[min(index, segments.count - 1)].recordBytes += count
    recordBytes += count
  }

  /// Begins the log after `sequence`. Only the retained entries up to `sequence` are known.
  mutating func begin(after sequence: UInt64) {
    precondition(
      tail.offset == 0 && segments.count == 1,
      "begin(after:) must be called only once, before the first entry of the log")
    droppedThrough = sequence
    lastSequence = sequence
  }

  /// Appends a frame of entries from a record. The entries already have sequences.
  mutating func replay(
    _ entries: Span<UInt8>, firstSequence: UInt64, lastSequence: UInt64, entryCount: Int, targets: [UInt32]?
  ) {
    makeRoom(for: entries.count)
    appendedBytes += tailSegment.appendFrame(
      entries, firstSequence: firstSequence, lastSequence: lastSequence, entryCount: entryCount,
      targets: targets)
    self.lastSequence = lastSequence
  }
}
