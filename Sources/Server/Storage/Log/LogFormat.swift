internal import CZlib
internal import SessionCore
internal import Wire

/// The format of records in the file of a log.
///
///     u32 length of kind and body | u32 CRC-32 | u8 kind | body | u32 the length again
///
/// Integers are big-endian. The CRC covers kind and body, and continues the CRC of the previous record. So the bytes after a
/// record pass the check only if they were written after this record.
enum LogFormat {
  /// The version of the format that this module writes, and the newest that it reads.
  static let version: UInt32 = 1
  /// The kind of the first record. Only this module writes and reads records of this kind.
  static let formatKind: UInt8 = 0
  static let magic = Array("drawtogether log".utf8)
  /// The length of the fields before the kind: length and CRC.
  static let headerLength = 8
  /// The size of a record without its kind and body.
  static let overhead = 12
  /// The maximum length of a record's kind and body together. Sessions write records of a little more than 1 MiB at most.
  static let maximumLength = 1 << 26
  /// The bytes of the first record.
  static let firstRecord: [UInt8] = {
    var (bytes, chain): ([UInt8], UInt32) = ([], 0)
    var body = magic
    body.append(bigEndian: version)
    append(formatKind, body.span, chain: &chain, to: &bytes)
    return bytes
  }()
  /// The CRC of the first record.
  static let firstChain = {
    let record = firstRecord
    return record.span.uint32(at: 4)
  }()

  /// Writes the first record into an empty file.
  ///
  /// - Returns: the position of the next record.
  static func begin(_ file: any SessionFile) throws(StorageError) -> OpenLog.Position {
    let record = firstRecord
    try file.write(record.span, at: 0)
    return OpenLog.Position(length: record.count, chain: firstChain)
  }

  /// Appends a record whose CRC continues `chain`.
  static func append(_ record: SessionRecord, chain: inout UInt32, to bytes: inout [UInt8]) {
    append(record.kind.rawValue, record.body.span, chain: &chain, to: &bytes)
  }

  /// Appends a record whose CRC continues `chain`.
  static func append(_ kind: UInt8, _ body: Span<UInt8>, chain: inout UInt32, to bytes: inout [UInt8]) {
    precondition(body.count < maximumLength, "a record must be shorter than the maximum length")
    let length = UInt32(body.count + 1)
    let start = bytes.count
    bytes.reserveCapacity(start + overhead + body.count + 1)
    bytes.append(bigEndian: length)
    bytes.append(bigEndian: UInt32(0))
    bytes.append(kind)
    bytes.append(body)
    chain = checksum(of: bytes.span.extracting(droppingFirst: start + headerLength), continuing: chain)
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      bytes[start + 4 + index] = UInt8(truncatingIfNeeded: chain >> UInt32(shift))
    }
    bytes.append(bigEndian: length)
  }

  /// Returns the CRC-32 (as in zlib) of bytes, continuing the CRC of the previous record.
  static func checksum(of bytes: Span<UInt8>, continuing chain: UInt32) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe UInt32(truncatingIfNeeded: crc32_z(uLong(chain), bytes.baseAddress, bytes.count))
    }
  }

  /// Returns the number of bytes that records take in a file.
  static func length(of records: [SessionRecord]) -> Int {
    records.reduce(0) { $0 + overhead + 1 + $1.body.count }
  }
}
