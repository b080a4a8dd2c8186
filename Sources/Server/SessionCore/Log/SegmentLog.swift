internal import Wire
internal import WebSocket

/// The log of a session: segments, oldest first, and the open run.
///
/// The entries of a turn (an iteration of the event loop) are collected in the open run. `closeRun` moves them into a segment,
/// with one frame header in front. A run is closed at 64 KiB, before and after a targeted entry, and at the end of the turn. An
/// entry over 64 KiB gets a frame of its own.
struct SegmentLog {
  /// The maximum size of a run in bytes.
  static let runBytes = 65_536
  private static let smallestSegment = 4096

  private(set) var segments: [Segment]
  /// The highest sequence that is no longer in a segment, or 0. A tail (all entries after a given sequence) can begin only
  /// after this sequence.
  var droppedThrough: UInt64 = 0
  /// The newest sequence.
  var lastSequence: UInt64 = 0
  /// The number of bytes of all frames that were ever appended, plus four bytes for each target of a frame.
  var appendedBytes = 0
  /// The part of `appendedBytes` that is on disk.
  var savedBytes = 0
  /// The disk space in bytes of the `run` records with the entries of all segments, and of the other records between these `run`
  /// records.
  var recordBytes = 0
  /// True if frames were appended in this turn.
  private(set) var grewThisTurn = false

  /// The number of the last segment when the previous turn ended. A subscriber that reads without delay has reached at least
  /// this segment.
  private var turnSegment: UInt32 = 1

  private let largestSegment: Int
  /// The memory of all segments except the last, in bytes.
  private var weight = 0
  /// The open run: entries without a frame header.
  private var run: [UInt8] = []
  private var runFirstSequence: UInt64 = 0
  private var runEntries = 0

  /// - Parameter tailBytes: the number of bytes of the log that are kept for tails. A segment has at most a quarter of this
  ///   number, so that the log exceeds this number only a little.
  init(tailBytes: Int) {
    largestSegment = min(262_144, max(Self.smallestSegment, tailBytes / 4))
    segments = [Segment(number: 1, capacity: Self.smallestSegment)]
  }

  var firstSegment: UInt32 { segments[0].number }
  var tailSegment: Segment { segments[segments.count - 1] }
  var tail: Cursor { Cursor(segment: tailSegment.number, offset: tailSegment.bytes.count) }
  var totalBytes: Int { weight + tailSegment.weight }
  /// True if a new segment was begun in this turn.
  var hasNewSegment: Bool { tailSegment.number != turnSegment }
  var hasOpenRun: Bool { runEntries > 0 }
  /// Bytes that are not on disk, including the open run.
  var unsavedBytes: Int { appendedBytes + run.count - savedBytes }

  subscript(_ number: UInt32) -> Segment? {
    guard number >= firstSegment, number <= tailSegment.number else { return nil }
    return segments[Int(number - firstSegment)]
  }

  /// Appends an entry to the open run, with the next sequence.
  ///
  /// `targets` are the sorted numbers of the participants that get the entry; nil means every participant.
  /// - Returns: the entry's sequence, and the length of the entry in the form that the gateway sends.
  @discardableResult
  mutating func append(
    flags: EntryFlags, sender: ParticipantNumber, clientSequence: UInt32, key: EntryKey, type: Span<UInt8>,
    payload: Span<UInt8>, targets: [ParticipantNumber]?
  ) -> (sequence: UInt64, length: Int) {
    let length = GatewayEntry.headerLength(flags: flags, typeLength: type.count) + payload.count
    if targets != nil || run.count + length > Self.runBytes { closeRun() }
    lastSequence += 1
    if runEntries == 0 { runFirstSequence = lastSequence }
    runEntries += 1
    GatewayEntry.append(
      to: &run, flags: flags, sequence: lastSequence, sender: sender, clientSequence: clientSequence,
      key: key,
      type: type, payload: payload)
    if targets != nil || run.count >= Self.runBytes { closeRun(targets: targets) }
    return (lastSequence, length)
  }

  /// Appends a reliable entry of the gateway itself, for every participant.
  @discardableResult
  mutating func append(
    system type: String, retention: Retention = .none, key: RetainedKey? = nil, payload: [UInt8]
  ) -> (sequence: UInt64, length: Int) {
    let isSystem = key?.isSystem ?? true
    return append(
      flags: EntryFlags(isSystem ? [.reliable, .system] : .reliable, retention: retention), sender: 0,
      clientSequence: 0, key: key?.key ?? .zero, type: type.utf8.span, payload: payload.span,
      targets: nil)
  }

  mutating func endTurn() {
    closeRun()
    turnSegment = tailSegment.number
    grewThisTurn = false
  }

  /// Moves the open run, if any, into the last segment, with one frame header in front.
  mutating func closeRun(targets: [UInt32]? = nil) {
    guard runEntries > 0 else { return }
    makeRoom(for: run.count)
    appendedBytes += tailSegment.appendFrame(
      run.span, firstSequence: runFirstSequence, lastSequence: lastSequence, entryCount: runEntries,
      targets: targets)
    grewThisTurn = true
    runEntries = 0
    if run.capacity > 2 * Self.runBytes { run = [] } else { run.removeAll(keepingCapacity: true) }
  }

  /// Frees the memory of the last run, if no run is open.
  mutating func releaseRoom() {
    if runEntries == 0 { run = [] }
  }

  /// Begins a new segment if the last one has no room for a frame with this many bytes of entries.
  mutating func makeRoom(for count: Int) {
    let room = count + 10
    guard !tailSegment.hasRoom(for: room) else { return }
    weight += tailSegment.weight
    let capacity = min(largestSegment, tailSegment.capacity * 2)
    segments.append(Segment(number: tailSegment.number + 1, capacity: max(capacity, room)))
  }

  /// Returns true if the oldest segment can be dropped, because the other segments have enough bytes for a tail of `tailBytes`.
  ///
  /// Entries of this turn always stay, because they have not been sent to any member yet.
  func oldestCanGo(tailBytes: Int) -> Bool {
    guard segments.count > 1, segments[0].number < turnSegment else { return false }
    return weight - segments[0].weight + tailSegment.weight >= tailBytes
  }

  /// Removes and returns the oldest segment.
  mutating func removeOldest() -> Segment {
    let oldest = segments.removeFirst()
    weight -= oldest.weight
    recordBytes -= oldest.recordBytes
    droppedThrough = oldest.frames.last?.lastSequence ?? droppedThrough
    return oldest
  }

  /// Returns the cursor at which a subscriber continues after the entry `sequence`, and the rest of the frame that contains this
  /// entry.
  /// - Returns: nil if the log does not have all later entries.
  func position(after sequence: UInt64) -> (cursor: Cursor, rest: PartialFrame?)? {
    guard sequence >= droppedThrough, sequence <= lastSequence else { return nil }
    let index = segments.partitionIndex { ($0.frames.last?.lastSequence ?? .max) > sequence }
    guard index < segments.count else { return (tail, nil) }
    let segment = segments[index]
    let frameIndex = segment.frames.partitionIndex { $0.lastSequence > sequence }
    guard frameIndex < segment.frames.count else { return (tail, nil) }
    let frame = segment.frames[frameIndex]
    let start = segment.frameStart(frameIndex)
    if frame.firstSequence > sequence {
      return (Cursor(segment: segment.number, offset: start), nil)
    }
    var partial = PartialFrame()
    var at = start + frame.headerLength
    while at < frame.end {
      let entry = StoredEntry(segment.bytes.span, at: at)
      if entry.sequence > sequence {
        partial.entryCount += 1
        if partial.entryCount == 1 {
          partial.entries = at..<frame.end
          partial.sequences = entry.sequence...frame.lastSequence
        }
      }
      at = entry.end
    }
    partial.segment = segment
    return (Cursor(segment: segment.number, offset: frame.end), partial)
  }
}

/// The last entries of a frame: those after a given sequence.
struct PartialFrame {
  var segment: Segment?
  var entries: Range<Int> = 0..<0
  var entryCount = 0

  /// The sequences of the first and the last entry.
  var sequences: ClosedRange<UInt64>?
  /// Returns the entries of this partial frame, with a frame header of their own.
  func framed() -> [UInt8] {
    guard let segment, !entries.isEmpty else { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count + 10)
    FrameHeader.append(.binary, length: entries.count, to: &bytes)
    bytes.append(contentsOf: segment.bytes[entries])
    return bytes
  }
}

extension Segment {
  /// Appends the remaining entries of a frame of another segment as a new frame.
  func append(_ partial: PartialFrame) {
    guard let source = partial.segment, let sequences = partial.sequences else { return }
    let bytes = source.bytes
    appendFrame(
      bytes.span.extracting(partial.entries), firstSequence: sequences.lowerBound,
      lastSequence: sequences.upperBound, entryCount: partial.entryCount, targets: nil)
  }
}
