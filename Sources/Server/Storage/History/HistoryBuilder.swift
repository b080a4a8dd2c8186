internal import SessionCore
internal import WebSocket
internal import Wire

/// Extends a history with the entries of a log.
///
/// The caller passes the records of the log in their order. The builder skips entries that the history already has, so the same
/// records may be passed again after a crash or an error. Only one thread may use a builder.
struct HistoryBuilder {
  private let medium: any HistoryMedium
  private let policy: HistoryPolicy
  private let deflater = Deflater(level: 3)
  /// The pieces in rising sequence.
  private(set) var pieces: [HistoryPiece]
  /// The last sequence of the history, including the entries in the unfinished chunk.
  private var reached: UInt64
  /// The groups of a run whose time is not known yet.
  private var pending: [HistoryGroup] = []
  private var chunk: HistoryPieceWriter?
  /// The number of bytes of the chunks after the newest state, and of that state, both before compression.
  private var (bytesSinceState, stateBytes) = (0, 0)
  /// The unfinished state that is made from the log's `base` records.
  private var baseState: (writer: HistoryPieceWriter, sequence: UInt64)?

  /// Creates a builder.
  ///
  /// - Parameters:
  ///   - medium: the pieces of the history.
  ///   - policy: the rules.
  /// - Throws: `StorageError` if the newest pieces cannot be read.
  init(_ medium: any HistoryMedium, _ policy: HistoryPolicy) throws(StorageError) {
    self.medium = medium
    self.policy = policy
    pieces = try medium.pieces().inOrder
    reached = pieces.end
    let state = pieces.lastIndex { $0.kind == .state }
    if let state { stateBytes = try medium.file(of: pieces[state]).byteCount }
    for piece in pieces[(state.map { $0 + 1 } ?? 0)...] {
      bytesSinceState += try medium.file(of: piece).byteCount
    }
  }

  /// The last sequence of the history, including the entries that are not stored yet.
  var through: UInt64 { reached }

  /// Applies the next record of the log.
  ///
  /// The caller passes `base` records only if the log has dropped entries that the history lacks. The history then starts over with
  /// the state in these records.
  mutating func apply(_ kind: SessionRecord.Kind?, _ body: Span<UInt8>) throws(StorageError) {
    do throws(RecordError) {
      if kind == .time {
        let time = try TimeRecord(body).milliseconds
        for index in pending.indices { pending[index].time = time }
      }
    } catch {
      throw .record(error)
    }
    try flushPending()
    switch kind {
    case .base:
      try applyBase(body)
    case .run:
      try finishBaseState()
      do throws(RecordError) {
        pending = try HistoryGroup.groups(inRun: body, after: reached, time: nil)
      } catch {
        throw .record(error)
      }
    default: break
    }
  }

  /// Stores the collected entries. Then removes the oldest pieces until the history is within the limits of `HistoryPolicy`.
  mutating func finish() throws(StorageError) {
    try flushPending()
    try finishBaseState()
    try finishChunk()
    var byteCount = pieces.byteCount
    // A chunk without a state before it cannot be used, unless it begins with the session.
    while let oldest = pieces.first,
      byteCount > policy.byteCount || pieces.count > HistoryPolicy.maximumPieces
        || oldest.kind == .chunk && oldest.first > 1
    {
      try medium.remove(oldest)
      pieces.removeFirst()
      byteCount -= oldest.byteCount
    }
  }

  // MARK: - Chunks

  private mutating func flushPending() throws(StorageError) {
    let groups = pending
    pending = []
    for group in groups {
      let writer: HistoryPieceWriter
      if let chunk {
        writer = chunk
      } else {
        writer = try HistoryPieceWriter(.chunk, in: try medium.create(), deflater)
      }
      chunk = writer
      try writer.add(group)
      reached = group.last
      if writer.byteCount >= HistoryPolicy.chunkBytes { try finishChunk() }
    }
  }

  private mutating func finishChunk() throws(StorageError) {
    guard let writer = chunk else { return }
    chunk = nil
    let time = writer.lastTime
    try store(writer)
    bytesSinceState += writer.byteCount
    // By this rule, states take at most half of the history, and there are only a few chunks between two states. So a client needs
    // few requests for the state at any sequence.
    if bytesSinceState >= max(HistoryPolicy.chunkBytes, stateBytes) { try writeState(time: time) }
  }

  private mutating func store(_ writer: HistoryPieceWriter) throws(StorageError) {
    let piece = try writer.finish()
    try medium.store(writer.file, as: piece)
    pieces.append(piece)
  }

  // MARK: - States

  /// Writes the state at the end of the history: the newest state, changed by the chunks after it.
  private mutating func writeState(time: UInt64?) throws(StorageError) {
    let first = pieces.lastIndex { $0.kind == .state } ?? 0
    guard pieces[first].kind == .state || pieces[first].first == 1 else { return }
    let (sources, sequence, inflater) = (pieces[first...], pieces.end, Inflater())
    var fold = RetainedFold()
    for piece in sources {
      let file = try medium.file(of: piece)
      for block in file.blocks {
        let bytes = try file.bytes(of: block, by: inflater)
        do throws(RecordError) {
          try fold.apply(bytes.span)
        } catch {
          throw .record(error)
        }
      }
    }
    let writer = try HistoryPieceWriter(.state, in: try medium.create(), deflater)
    writer.beginState(at: sequence, time: time)
    for piece in sources {
      let file = try medium.file(of: piece)
      for block in file.blocks {
        let bytes = try file.bytes(of: block, by: inflater)
        let ranges: [Range<Int>]
        do throws(RecordError) {
          ranges = try fold.ranges(in: bytes.span)
        } catch {
          throw .record(error)
        }
        for range in ranges {
          try writer.add(bytes.span.extracting(range), ofStateAt: sequence, time: time)
        }
      }
    }
    try store(writer)
    (bytesSinceState, stateBytes) = (0, writer.byteCount)
  }

  /// Writes the entries of a `base` record into the first state of a history that starts over.
  ///
  /// The state may lack entries that were replaced or removed while the compaction wrote its `base` records.
  private mutating func applyBase(_ body: Span<UInt8>) throws(StorageError) {
    let kind = SessionRecord.Kind.base.rawValue
    guard body.count >= 8 else { throw .record(RecordError(kind, .cutShort(needed: 8, have: body.count))) }
    let sequence = body.uint64(at: 0)
    let state: (writer: HistoryPieceWriter, sequence: UInt64)
    if let baseState {
      state = baseState
    } else {
      try finishChunk()
      state = (try HistoryPieceWriter(.state, in: try medium.create(), deflater), sequence)
      state.writer.beginState(at: sequence, time: nil)
      baseState = state
    }
    var at = 8
    while at < body.count {
      let entry: GatewayEntry
      do throws(WireError) {
        entry = try GatewayEntry.parse(body, at: at)
      } catch {
        throw .record(RecordError(kind, .entry(error)))
      }
      try state.writer.add(body.extracting(at..<entry.end), ofStateAt: state.sequence, time: nil)
      at = entry.end
    }
  }

  private mutating func finishBaseState() throws(StorageError) {
    guard let state = baseState else { return }
    baseState = nil
    try store(state.writer)
    reached = max(reached, state.sequence)
    (bytesSinceState, stateBytes) = (0, state.writer.byteCount)
  }
}
