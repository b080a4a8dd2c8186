package import Wire

/// A block of a piece of a history: entries that are compressed together, and a summary of them.
package struct HistoryBlock: Equatable, Sendable {
  /// The number of entries that one participant sent.
  package struct SenderCount: Equatable, Sendable {
    /// The number of the participant; 0 for the gateway itself.
    package let sender: ParticipantNumber
    /// The number of entries.
    package let count: Int
  }

  /// The approximate maximum number of bytes of a block before compression. Only a single larger entry exceeds it by much.
  static let blockBytes = 65_536
  /// The number of senders that a block lists: those with the most entries.
  package static let listedSenders = 8

  /// The first sequence that the block covers.
  package internal(set) var first: UInt64
  /// The last sequence that the block covers.
  package internal(set) var last: UInt64
  /// The time of the first entries in milliseconds since 1970; nil if unknown.
  package internal(set) var firstTime: UInt64?
  /// The time of the last entries in milliseconds since 1970; nil if unknown.
  package internal(set) var lastTime: UInt64?
  /// The number of entries.
  package internal(set) var entryCount = 0
  /// The senders with the most entries, most first.
  package internal(set) var senders: [SenderCount] = []
  /// The offset of the block's compressed bytes in the file of the piece.
  var offset = 0
  /// The number of compressed bytes, and their CRC-32.
  var (storedCount, storedChecksum): (Int, UInt32) = (0, 0)
  /// The number of bytes before compression.
  package internal(set) var byteCount = 0
  /// The CRC-32 of the bytes before compression.
  var checksum: UInt32 = 0

  /// Creates the description of an empty block.
  init(first: UInt64, last: UInt64, time: UInt64?) {
    self.first = first
    self.last = last
    firstTime = time
    lastTime = time
  }
}

/// The last record of a piece: the list of its blocks.
enum HistoryIndex {
  /// The kind of a record with a block. No log has records of this kind.
  static let blockKind: UInt8 = 64
  /// The kind of the last record of a piece. No log has records of this kind.
  static let indexKind: UInt8 = 65
  /// The number of bytes before the compressed bytes in the body of a block's record.
  static let blockHeadLength = 24
  /// The value that stands for an unknown time.
  private static let noTime = UInt64.max
  private static let version: UInt8 = 1
  private static let fixedLength = 61

  static func encode(_ blocks: [HistoryBlock]) -> [UInt8] {
    var body: [UInt8] = [version]
    body.append(bigEndian: UInt32(blocks.count))
    for block in blocks {
      body.append(bigEndian: block.first)
      body.append(bigEndian: block.last)
      body.append(bigEndian: block.firstTime ?? noTime)
      body.append(bigEndian: block.lastTime ?? noTime)
      body.append(bigEndian: UInt64(block.offset))
      body.append(bigEndian: UInt32(block.storedCount))
      body.append(bigEndian: block.storedChecksum)
      body.append(bigEndian: UInt32(block.byteCount))
      body.append(bigEndian: block.checksum)
      body.append(bigEndian: UInt32(block.entryCount))
      body.append(UInt8(block.senders.count))
      for sender in block.senders {
        body.append(bigEndian: sender.sender)
        body.append(bigEndian: UInt32(sender.count))
      }
    }
    return body
  }

  /// Parses the list of the blocks of a file.
  ///
  /// - Parameters:
  ///   - body: the body of the index record.
  ///   - length: the length of the file.
  /// - Returns: nil for bytes that are not the list of the blocks of such a file.
  static func decode(_ body: Span<UInt8>, length: Int) -> [HistoryBlock]? {
    guard body.count >= 5, body[0] == version else { return nil }
    let count = Int(body.uint32(at: 1))
    guard count > 0, count <= body.count / fixedLength else { return nil }
    var blocks: [HistoryBlock] = []
    blocks.reserveCapacity(count)
    var at = 5
    for _ in 0..<count {
      guard body.count - at >= fixedLength else { return nil }
      var block = HistoryBlock(first: body.uint64(at: at), last: body.uint64(at: at + 8), time: nil)
      block.firstTime = time(body.uint64(at: at + 16))
      block.lastTime = time(body.uint64(at: at + 24))
      guard let offset = Int(exactly: body.uint64(at: at + 32)) else { return nil }
      block.offset = offset
      block.storedCount = Int(body.uint32(at: at + 40))
      block.storedChecksum = body.uint32(at: at + 44)
      block.byteCount = Int(body.uint32(at: at + 48))
      block.checksum = body.uint32(at: at + 52)
      block.entryCount = Int(body.uint32(at: at + 56))
      let senders = Int(body[at + 60])
      at += fixedLength
      guard block.first <= block.last, block.storedCount > 4, block.storedCount <= length,
        offset <= length - block.storedCount, senders <= HistoryBlock.listedSenders,
        body.count - at >= 8 * senders, block.byteCount <= LogFormat.maximumLength
      else { return nil }
      for _ in 0..<senders {
        block.senders.append(
          HistoryBlock.SenderCount(sender: body.uint32(at: at), count: Int(body.uint32(at: at + 4))))
        at += 8
      }
      blocks.append(block)
    }
    return at == body.count ? blocks : nil
  }

  private static func time(_ milliseconds: UInt64) -> UInt64? { milliseconds == noTime ? nil : milliseconds }
}
