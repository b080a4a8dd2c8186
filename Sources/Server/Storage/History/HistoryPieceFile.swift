internal import Glibc
internal import WebSocket

/// An open piece of a history. It stays readable after the piece is removed. Any thread may use it.
package struct HistoryPieceFile: Sendable {
  /// The blocks in rising sequence.
  package let blocks: [HistoryBlock]
  private let file: any SessionFile

  /// Reads the list of the blocks at the end of a file.
  /// - Throws: `StorageError`; EBADMSG if the file is not a piece of a history, or its list of blocks is damaged.
  init(_ file: any SessionFile) throws(StorageError) {
    let length = try file.information().length
    guard let last = try LogTail.last(of: file, length: length), last.kind == HistoryIndex.indexKind,
      let blocks = HistoryIndex.decode(last.body.span, length: length)
    else { throw StorageError(.readHistory, code: EBADMSG) }
    self.blocks = blocks
    self.file = file
  }

  /// The number of bytes of all blocks before compression.
  package var byteCount: Int { blocks.reduce(0) { $0 + $1.byteCount } }

  /// Returns the compressed bytes of a block.
  /// - Throws: `StorageError`; EBADMSG if the bytes are damaged.
  func stored(_ block: HistoryBlock) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: block.storedCount)
    guard try file.read(into: &bytes, at: 0, count: bytes.count, from: block.offset) == bytes.count,
      LogFormat.checksum(of: bytes.span, continuing: 0) == block.storedChecksum
    else { throw StorageError(.readHistory, code: EBADMSG) }
    return bytes
  }

  /// Returns the bytes of a block before compression.
  /// - Throws: `StorageError`; EBADMSG if the bytes are damaged.
  func bytes(of block: HistoryBlock, by inflater: Inflater) throws(StorageError) -> [UInt8] {
    let stored = try stored(block)
    let bytes: [UInt8]
    do throws(ProtocolError) {
      // The last four bytes belong to the empty block that aligns the data to a byte. They are left out, because the inflater adds
      // them.
      bytes = try inflater.inflate(stored.span.extracting(droppingLast: 4), limit: block.byteCount)
    } catch {
      throw StorageError(.readHistory, code: EBADMSG)
    }
    guard bytes.count == block.byteCount, LogFormat.checksum(of: bytes.span, continuing: 0) == block.checksum
    else { throw StorageError(.readHistory, code: EBADMSG) }
    return bytes
  }

  /// Reads all blocks, to find damaged ones.
  /// - Throws: `StorageError`; EBADMSG if a block is damaged.
  package func check() throws(StorageError) {
    let inflater = Inflater()
    for block in blocks { _ = try bytes(of: block, by: inflater) }
  }

  /// Returns consecutive blocks as content.
  ///
  /// - Parameters:
  ///   - range: the positions of the blocks; at least one.
  ///   - isCompressed: true for the gzip format, false for the entries themselves.
  /// - Returns: the content. If a block is damaged, reading this part of the content throws EBADMSG.
  package func content(of range: Range<Int>, isCompressed: Bool) -> any StoredContent {
    HistoryContent(self, blocks[range], isCompressed: isCompressed)
  }
}
