internal import Glibc
internal import Wire

/// The last record of a log, found from the end of the file.
struct LogTail: Equatable {
  /// The offset of the record's first byte.
  var offset: Int
  /// The CRC of the record. The computation of the next record's CRC starts from this CRC.
  var chain: UInt32
  /// The number of the record's kind.
  var kind: UInt8
  /// The body of the record.
  var body: [UInt8]

  /// Finds the record that ends at the end of the file; nil if there is no such record, or its CRC is wrong.
  /// - Throws: `StorageError` if the file cannot be read.
  static func last(of file: any SessionFile, length: Int) throws(StorageError) -> LogTail? {
    guard let head = try head(of: file, endingAt: length), head.length == head.lengthBehind else {
      return nil
    }
    var chain: UInt32 = 0
    if head.offset > 0 {
      // The CRC of the last record is computed from the CRC of the previous record. Nothing else of the previous record is
      // needed, so other damage of that record does not matter.
      guard let before = try self.head(of: file, endingAt: head.offset) else { return nil }
      chain = before.checksum
    }
    var bytes = [UInt8](repeating: 0, count: head.length)
    let start = head.offset + LogFormat.headerLength
    guard try file.read(into: &bytes, at: 0, count: bytes.count, from: start) == bytes.count,
      LogFormat.checksum(of: bytes.span, continuing: chain) == head.checksum
    else { return nil }
    return LogTail(
      offset: head.offset, chain: head.checksum, kind: bytes[0], body: Array(bytes.dropFirst()))
  }

  /// Returns the CRC that is stored in the record that ends at an offset; nil if no record can end there. Does not verify the
  /// CRC.
  static func chain(of file: any SessionFile, at end: Int) throws(StorageError) -> UInt32? {
    try head(of: file, endingAt: end)?.checksum
  }

  private static func head(
    of file: any SessionFile, endingAt end: Int
  ) throws(StorageError) -> (offset: Int, length: Int, checksum: UInt32, lengthBehind: Int)? {
    guard end > LogFormat.overhead else { return nil }
    var bytes = [UInt8](repeating: 0, count: LogFormat.headerLength)
    guard try file.read(into: &bytes, at: 0, count: 4, from: end - 4) == 4 else { return nil }
    let length = Int(bytes.span.uint32(at: 0))
    let offset = end - length - LogFormat.overhead
    guard (1...LogFormat.maximumLength).contains(length), offset >= 0,
      try file.read(into: &bytes, at: 0, count: bytes.count, from: offset) == bytes.count
    else { return nil }
    return (offset, Int(bytes.span.uint32(at: 0)), bytes.span.uint32(at: 4), length)
  }
}
