internal import CZlib
internal import Glibc
internal import WebSocket
internal import Wire

/// Consecutive blocks of a piece as content. Each read decodes only the blocks that it needs, so the memory for it does not depend
/// on the number of blocks.
final class HistoryContent: StoredContent {
  /// A part of the content: bytes that are in memory, or a block.
  private enum Part {
    case bytes([UInt8])
    case block(HistoryBlock)
  }

  /// The head of gzip data: deflate, without a name and a time (RFC 1952 §2.3).
  private static let gzipHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
  /// An empty final block of deflate data.
  private static let finalBlock: [UInt8] = [0x03, 0x00]

  let mark: ContentMark
  private let piece: HistoryPieceFile
  private let isCompressed: Bool
  private let parts: [Part]
  /// The offset in the content at which each part ends.
  private let ends: [Int]

  init(_ piece: HistoryPieceFile, _ blocks: ArraySlice<HistoryBlock>, isCompressed: Bool) {
    self.piece = piece
    self.isCompressed = isCompressed
    var parts = blocks.map { Part.block($0) }
    if isCompressed { parts = [.bytes(Self.gzipHead)] + parts + [.bytes(Self.gzipTail(of: blocks))] }
    var ends: [Int] = []
    for part in parts {
      let count =
        switch part {
        case .bytes(let bytes): bytes.count
        case .block(let block): isCompressed ? block.storedCount : block.byteCount
        }
      ends.append((ends.last ?? 0) + count)
    }
    self.parts = parts
    self.ends = ends
    mark = ContentMark(identity: 0, version: 0, length: UInt64(ends.last ?? 0))
  }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    guard let start = Int(exactly: offset), count >= 0, start <= Int(mark.length) - count else {
      throw StorageError(.readHistory, code: ENODATA)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var index = ends.firstIndex { $0 > start } ?? 0
    var inflater: Inflater?
    while bytes.count < count {
      let begin = index == 0 ? 0 : ends[index - 1]
      let part = try self.bytes(of: parts[index], by: &inflater)
      let from = start + bytes.count - begin
      bytes.append(contentsOf: part[from..<min(part.count, from + count - bytes.count)])
      index += 1
    }
    return bytes
  }

  private func bytes(of part: Part, by inflater: inout Inflater?) throws(StorageError) -> [UInt8] {
    switch part {
    case .bytes(let bytes): return bytes
    case .block(let block):
      if isCompressed { return try piece.stored(block) }
      let made = inflater ?? Inflater()
      inflater = made
      return try piece.bytes(of: block, by: made)
    }
  }

  /// Returns the end of gzip data: a final block, then the CRC-32 and the length of the bytes before compression.
  private static func gzipTail(of blocks: ArraySlice<HistoryBlock>) -> [UInt8] {
    var checksum: UInt32 = 0
    var length: UInt32 = 0
    for block in blocks {
      checksum = UInt32(
        truncatingIfNeeded: crc32_combine(uLong(checksum), uLong(block.checksum), block.byteCount))
      length &+= UInt32(truncatingIfNeeded: block.byteCount)
    }
    var tail = finalBlock
    for value in [checksum, length] {
      for shift in [0, 8, 16, 24] as [UInt32] { tail.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    return tail
  }
}
