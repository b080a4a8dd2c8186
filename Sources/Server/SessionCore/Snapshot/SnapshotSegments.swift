internal import Wire

/// The retained entries in rising sequence, as joiners get them.
///
/// A segment only grows at its end, or is replaced by a new segment. A catch-up has references to its segments, so its content
/// stays the same even if a slow subscriber reads it late.
struct SnapshotSegments {
  private static let segmentBytes = 262_144
  /// The maximum number of bytes that are rewritten in a turn, so that no turn takes long.
  private static let rewriteBudget = 1_048_576

  private(set) var segments: [Segment] = []
  /// The number of bytes of all segments, including garbage.
  private(set) var byteCount = 0
  private var nextNumber: UInt32 = 1
  private var needsCompaction: Set<UInt32> = []
  private var run = SnapshotRun()

  /// Returns all segments as parts of a snapshot.
  func parts() -> [CatchUp.Part] {
    segments.map { CatchUp.Part(segment: $0, end: $0.bytes.count, isCompressible: true) }
  }

  /// Returns the entries up to a sequence as parts of a snapshot.
  func parts(through sequence: UInt64) -> [CatchUp.Part] {
    var parts: [CatchUp.Part] = []
    for segment in segments {
      let index = segment.frames.partitionIndex { $0.lastSequence > sequence }
      let isWhole = index == segment.frames.count
      if index > 0 {
        parts.append(
          CatchUp.Part(segment: segment, end: segment.frames[index - 1].end, isCompressible: isWhole))
      }
      guard !isWhole else { continue }
      let split = Segment(number: 0, capacity: segment.frames[index].end - segment.frameStart(index))
      var run = SnapshotRun()
      var at = segment.frameStart(index) + segment.frames[index].headerLength
      while at < segment.frames[index].end {
        let entry = StoredEntry(segment.bytes.span, at: at)
        guard entry.sequence <= sequence else { break }
        run.append(entry, from: segment)
        at = entry.end
      }
      run.close(into: split)
      parts.append(CatchUp.Part(segment: split, end: split.bytes.count))
      break
    }
    return parts
  }

  /// The senders of the entries in a snapshot.
  var senders: Set<ParticipantNumber> { segments.reduce(into: []) { $0.formUnion($1.senders) } }

  /// Copies the retained entries of the frames from `frameIndex` on.
  mutating func take(from segment: Segment, frameIndex: Int, index: inout RetentionIndex) {
    var at = segment.frameStart(frameIndex)
    for frame in segment.frames[frameIndex...] {
      defer { at = frame.end }
      if frame.targets >= 0 { continue }
      var offset = at + frame.headerLength
      while offset < frame.end {
        let entry = StoredEntry(segment.bytes.span, at: offset)
        if index.store(entry, in: { place(for: entry.length) }) {
          run.append(entry, from: segment)
          segments[segments.count - 1].senders.insert(entry.sender)
        }
        offset = entry.end
      }
    }
    closeRun()
  }

  /// Appends a retained entry that is not in the log. After the last such entry, the caller calls `endAppending`.
  mutating func append(
    _ entry: GatewayEntry, at start: Int, of bytes: Span<UInt8>, index: inout RetentionIndex
  ) {
    let length = entry.end - start
    let segment = place(for: length)
    run.append(bytes.extracting(start..<entry.end), entry.sequence)
    segments[segments.count - 1].senders.insert(entry.sender)
    index.restore(
      entry.flags.retention, key: RetainedKey(key: entry.key, isSystem: entry.flags.contains(.system)),
      sequence: entry.sequence, length: length, in: segment
    ) { markGarbage($0, $1) }
  }

  mutating func endAppending() {
    closeRun()
  }

  /// Counts the bytes of an entry in a segment as garbage.
  mutating func markGarbage(_ number: UInt32, _ bytes: Int) {
    guard let position = position(of: number) else { return }
    let segment = segments[position]
    segment.garbageBytes += bytes
    if segment.garbageBytes * 2 > segment.bytes.count { needsCompaction.insert(number) }
  }

  /// Rewrites segments that are more than half garbage. A segment is merged with a neighbour if both fit into one.
  mutating func compact(_ index: inout RetentionIndex) {
    var budget = Self.rewriteBudget
    while budget > 0, let number = needsCompaction.popFirst() {
      guard let position = position(of: number) else { continue }
      var group = position..<(position + 1)
      var live = liveBytes(position)
      if position + 1 < segments.count, live + liveBytes(position + 1) <= Self.segmentBytes {
        live += liveBytes(position + 1)
        group = position..<(position + 2)
      } else if position > 0, live + liveBytes(position - 1) <= Self.segmentBytes {
        live += liveBytes(position - 1)
        group = (position - 1)..<(position + 1)
      }
      budget -= segments[group].reduce(0) { $0 + $1.bytes.count }
      rewrite(group, &index)
    }
  }

  private func liveBytes(_ position: Int) -> Int {
    segments[position].bytes.count - segments[position].garbageBytes
  }

  private mutating func rewrite(_ group: Range<Int>, _ index: inout RetentionIndex) {
    let old = Array(segments[group])
    let numbers = Set(old.map(\.number))
    needsCompaction.subtract(numbers)
    // For each key, the index first subtracts the bytes of the old segments. When an entry is copied, the index adds its bytes to
    // the new segment.
    var dying: [(UInt32, Int)] = []
    for segment in old {
      segment.forEachEntry { entry in
        index.willRewrite(entry.retainedKey, in: numbers) { dying.append(($0, $1)) }
      }
    }
    let fresh = Segment(number: old[0].number, capacity: Self.segmentBytes)
    segments.replaceSubrange(group, with: [fresh])
    for (number, bytes) in dying { markGarbage(number, bytes) }
    var rewritten = SnapshotRun()
    for segment in old {
      segment.forEachEntry { entry in
        guard index.store(entry, in: { fresh.number }) else { return }
        if rewritten.isFull(with: entry.length) { rewritten.close(into: fresh) }
        rewritten.append(entry, from: segment)
        fresh.senders.insert(entry.sender)
      }
    }
    rewritten.close(into: fresh)
    byteCount += fresh.bytes.count - old.reduce(0) { $0 + $1.bytes.count }
    if fresh.bytes.isEmpty { segments.remove(at: group.lowerBound) }
  }

  /// Makes room for an entry in the open run and the last segment.
  /// - Returns: the number of the last segment.
  private mutating func place(for length: Int) -> UInt32 {
    if run.isFull(with: length) { closeRun() }
    if let last = segments.last, last.hasRoom(for: run.bytes.count + length + 10) { return last.number }
    closeRun()
    segments.append(Segment(number: nextNumber, capacity: Self.segmentBytes))
    nextNumber += 1
    return nextNumber - 1
  }

  private mutating func closeRun() {
    guard let last = segments.last else { return }
    let before = last.bytes.count
    run.close(into: last)
    byteCount += last.bytes.count - before
  }

  private func position(of number: UInt32) -> Int? {
    let position = segments.partitionIndex { $0.number >= number }
    return position < segments.count && segments[position].number == number ? position : nil
  }
}

/// A collection of entries that are copied into a snapshot segment, in frames of up to 64 KiB.
private struct SnapshotRun {
  private(set) var bytes: [UInt8] = []
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  private var count = 0

  func isFull(with length: Int) -> Bool {
    count > 0 && bytes.count + length > SegmentLog.runBytes
  }

  mutating func append(_ entry: StoredEntry, from segment: Segment) {
    count(entry.sequence)
    bytes.append(contentsOf: segment.bytes[entry.start..<entry.end])
  }

  mutating func append(_ entry: Span<UInt8>, _ sequence: UInt64) {
    count(sequence)
    bytes.append(entry)
  }

  private mutating func count(_ sequence: UInt64) {
    if count == 0 { first = sequence }
    last = sequence
    count += 1
  }

  mutating func close(into segment: Segment) {
    guard count > 0 else { return }
    segment.appendFrame(
      bytes.span, firstSequence: first, lastSequence: last, entryCount: count, targets: nil)
    bytes.removeAll(keepingCapacity: true)
    count = 0
  }
}
