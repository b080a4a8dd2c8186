internal import SessionCore
internal import WebSocket
internal import Wire

/// Writes one piece of a history into an empty file: the blocks, and then the list of the blocks. Not `Sendable`: only one thread
/// may use it.
///
/// The records have the format of a log (`LogFormat`). The body of a block's record is: u64 first sequence, u64 last sequence, u32
/// length and u32 CRC-32 of the bytes before compression, and then the compressed bytes. These are deflate data that is aligned to
/// a byte, has no final block, and refers to no earlier block. So the compressed bytes of consecutive blocks together are deflate
/// data, too.
final class HistoryPieceWriter {
  let file: any SessionFile
  private let kind: HistoryPiece.Kind
  private let deflater: Deflater
  private var end: OpenLog.Position
  private var blocks: [HistoryBlock] = []
  /// The block that is being collected, and its bytes.
  private var block: HistoryBlock?
  private var bytes: [UInt8] = []
  private var senders: [ParticipantNumber: Int] = [:]
  /// The number of bytes of the finished blocks before compression.
  private(set) var byteCount = 0

  /// Begins a piece in an empty file.
  init(_ kind: HistoryPiece.Kind, in file: any SessionFile, _ deflater: Deflater) throws(StorageError) {
    self.kind = kind
    self.file = file
    self.deflater = deflater
    end = try LogFormat.begin(file)
  }

  /// True if nothing was added.
  var isEmpty: Bool { blocks.isEmpty && block == nil }

  /// The time of the last entries; nil if unknown.
  var lastTime: UInt64? { block?.lastTime ?? blocks.last?.lastTime }

  /// Adds the next entries of a chunk.
  func add(_ group: HistoryGroup) throws(StorageError) {
    if !bytes.isEmpty, bytes.count + group.entries.count > HistoryBlock.blockBytes { try endBlock() }
    var open = block ?? HistoryBlock(first: group.first, last: group.last, time: group.time)
    open.last = group.last
    open.firstTime = open.firstTime ?? group.time
    open.lastTime = group.time ?? open.lastTime
    open.entryCount += group.entryCount
    block = open
    for (sender, count) in group.senders { senders[sender, default: 0] += count }
    group.append(to: &bytes)
  }

  /// Adds the next entry of the state at a sequence.
  func add(_ entry: Span<UInt8>, ofStateAt sequence: UInt64, time: UInt64?) throws(StorageError) {
    if !bytes.isEmpty, bytes.count + entry.count > HistoryBlock.blockBytes { try endBlock() }
    beginState(at: sequence, time: time)
    block?.entryCount += 1
    bytes.append(entry)
  }

  /// Begins a block of a state, so that even a state without entries has a block.
  func beginState(at sequence: UInt64, time: UInt64?) {
    guard block == nil else { return }
    block = HistoryBlock(first: sequence, last: sequence, time: time)
    HistoryMark.state(sequence: sequence, time: time).append(to: &bytes)
  }

  /// Writes the last block and the list of the blocks. The piece must not be empty.
  /// - Returns: the identity of the piece. The file is complete, but not synced.
  func finish() throws(StorageError) -> HistoryPiece {
    try endBlock()
    guard let first = blocks.first, let last = blocks.last else {
      preconditionFailure("a piece of a history needs a block")
    }
    _ = try write(HistoryIndex.indexKind, HistoryIndex.encode(blocks))
    return HistoryPiece(
      kind: kind, first: first.first, last: last.last, byteCount: end.length, tag: end.chain)
  }

  private func endBlock() throws(StorageError) {
    guard var block else { return }
    var stored: [UInt8] = []
    deflater.compress(bytes.span, into: &stored)
    // The compressor leaves out the last four bytes of the empty block that aligns the data to a byte.
    stored += [0x00, 0x00, 0xFF, 0xFF]
    block.byteCount = bytes.count
    block.checksum = LogFormat.checksum(of: bytes.span, continuing: 0)
    block.storedCount = stored.count
    block.storedChecksum = LogFormat.checksum(of: stored.span, continuing: 0)
    block.senders = senders.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .prefix(HistoryBlock.listedSenders).map { HistoryBlock.SenderCount(sender: $0.key, count: $0.value) }
    var body: [UInt8] = []
    body.reserveCapacity(HistoryIndex.blockHeadLength + stored.count)
    body.append(bigEndian: block.first)
    body.append(bigEndian: block.last)
    body.append(bigEndian: UInt32(block.byteCount))
    body.append(bigEndian: block.checksum)
    body += stored
    block.offset = try write(HistoryIndex.blockKind, body) + HistoryIndex.blockHeadLength
    byteCount += bytes.count
    blocks.append(block)
    self.block = nil
    senders = [:]
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes a record.
  /// - Returns: the offset of the record's body in the file.
  private func write(_ kind: UInt8, _ body: [UInt8]) throws(StorageError) -> Int {
    var record: [UInt8] = []
    var chain = end.chain
    LogFormat.append(kind, body.span, chain: &chain, to: &record)
    try file.write(record.span, at: end.length)
    defer { end = OpenLog.Position(length: end.length + record.count, chain: chain) }
    return end.length + LogFormat.headerLength + 1
  }
}
