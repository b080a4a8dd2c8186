internal import Wire

/// The retained entries of a session: the index of their keys, and the snapshot segments.
struct RetainedState {
  private(set) var index = RetentionIndex()
  private(set) var snapshot = SnapshotSegments()
  /// The position in the log before which all retained entries are in the snapshot segments.
  private var end: Cursor
  /// Bytes of the segments' compressed forms, counted at the last catch-up.
  private var compressedBytes = 0
  /// Decides when to warn that the quota of retained entries is nearly used up.
  var fillLevel = FillLevel()

  /// Creates the state of a session whose log begins with a segment of this number.
  init(firstSegment: UInt32) {
    end = Cursor(segment: firstSegment, offset: 0)
  }

  /// Bytes of the segments and of their compressed forms.
  var totalBytes: Int { snapshot.byteCount + compressedBytes }

  /// Applies an entry that was appended to the log.
  mutating func apply(_ retention: Retention, key: RetainedKey, sequence: UInt64, length: Int) {
    index.apply(retention, key: key, sequence: sequence, length: length) { snapshot.markGarbage($0, $1) }
  }

  /// Copies the retained entries of the whole log into the snapshot segments.
  mutating func update(from log: SegmentLog) {
    for segment in log.segments where segment.number >= end.segment {
      let offset = segment.number == end.segment ? end.offset : 0
      guard offset < segment.bytes.count else { continue }
      snapshot.take(from: segment, frameIndex: segment.frameIndex(at: offset), index: &index)
    }
    end = log.tail
  }

  /// Drops the oldest segment of the log. Copies its retained entries into the snapshot segments first.
  mutating func dropOldest(of log: inout SegmentLog) {
    let oldest = log.removeOldest()
    guard end.segment == oldest.number else { return }
    snapshot.take(from: oldest, frameIndex: oldest.frameIndex(at: end.offset), index: &index)
    end = Cursor(segment: oldest.number + 1, offset: 0)
  }

  /// Rewrites segments that are more than half garbage.
  mutating func compact() {
    snapshot.compact(&index)
  }

  // MARK: - Compressed forms

  /// Recomputes `compressedBytes`. Called after a catch-up has compressed a segment.
  mutating func countCompressed() {
    compressedBytes = snapshot.segments.reduce(0) { $0 + ($1.compressedTwin?.bytes.count ?? 0) }
  }

  /// Drops the compressed forms when memory is short.
  mutating func dropCompressed() {
    for segment in snapshot.segments { segment.compressedTwin = nil }
    compressedBytes = 0
  }

  // MARK: - Restoring

  /// Appends a retained entry of a `base` record. No segment of the log contains such an entry.
  mutating func append(_ entry: GatewayEntry, at start: Int, of bytes: Span<UInt8>) {
    snapshot.append(entry, at: start, of: bytes, index: &index)
  }

  /// Ends a series of `append` calls.
  mutating func endAppending() {
    snapshot.endAppending()
  }
}
