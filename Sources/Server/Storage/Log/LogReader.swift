internal import Glibc
internal import Wire

/// Reads the records of a log one after another, and checks each one.
struct LogReader {
  enum Step: Equatable {
    /// A complete record, and the range of its body in `buffer`.
    case record(kind: UInt8, body: Range<Int>)
    /// The file ends after the last record.
    case end
    /// The following bytes are not a valid record.
    case damage(LogDamage)
  }

  /// The number of bytes that are read at a time, unless a record is longer.
  static let chunk = 1 << 20

  let file: any SessionFile
  /// The offset in the file at which reading stops.
  let end: Int
  /// The offset of the next record in the file.
  var offset: Int
  /// The CRC of the previous record.
  var chain: UInt32
  /// The offset from which a chain of frames reaches exactly the end of the file; nil until `resume` has found it.
  var framed: Int?
  /// The result of the last call of `firstFrame`: nil before the first call, `.some(nil)` if that call found no frame.
  var lowest: Frame??
  /// The bytes that were read from the file last.
  private(set) var buffer: [UInt8]
  /// The offset of the buffer's first byte in the file, and the number of valid bytes in the buffer.
  private(set) var (start, filled) = (0, 0)

  /// Creates a reader from the beginning of a record up to `end`.
  init(_ file: any SessionFile, from offset: Int, chain: UInt32, to end: Int, chunk: Int = Self.chunk) {
    self.file = file
    self.offset = offset
    self.chain = chain
    self.end = end
    buffer = [UInt8](repeating: 0, count: min(chunk, max(end - offset, 0)))
    start = offset
  }

  /// Reads the next record.
  /// - Throws: `StorageError` if the file cannot be read, or has become shorter.
  mutating func next() throws(StorageError) -> Step {
    let left = end - offset
    guard left > 0 else { return .end }
    guard left > LogFormat.overhead else { return .damage(.torn) }
    try fillBuffer(LogFormat.headerLength)
    let length = Int(buffer.span.uint32(at: offset - start))
    guard (1...LogFormat.maximumLength).contains(length) else {
      return .damage(try isZeroFromHere() ? .torn : .broken)
    }
    let whole = length + LogFormat.overhead
    guard whole <= left else { return .damage(try hasWholeRecordBehind() ? .broken : .torn) }
    // The length is compared with its copy at the end of the record before a buffer is allocated: a damaged length may be very
    // large.
    guard try length == lengthBefore(offset + whole) else { return .damage(.broken) }
    try fillBuffer(whole)
    let first = offset - start
    let body = first + LogFormat.headerLength + 1..<first + LogFormat.headerLength + length
    let sum = LogFormat.checksum(
      of: buffer.span.extracting(body.lowerBound - 1..<body.upperBound), continuing: chain)
    guard sum == buffer.span.uint32(at: first + 4) else { return .damage(.broken) }
    chain = sum
    offset += whole
    return .record(kind: buffer[body.lowerBound - 1], body: body)
  }

  /// Reads until the buffer has this number of bytes from `offset` on. The file must have these bytes.
  mutating func fillBuffer(_ count: Int) throws(StorageError) {
    guard start + filled - offset < count else { return }
    // The buffer keeps its bytes from `offset` on. If the reader has skipped damaged bytes up to a position beyond the end of the
    // buffer, the buffer keeps no bytes.
    let kept = max(0, start + filled - offset)
    if kept > 0, offset > start {
      let from = offset - start
      unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[from..<from + kept]))
      }
    }
    (start, filled) = (offset, kept)
    if buffer.count < count { buffer += [UInt8](repeating: 0, count: count - buffer.count) }
    let wanted = min(buffer.count - filled, end - start - filled)
    filled += try file.read(into: &buffer, at: filled, count: wanted, from: start + filled)
    guard filled >= count else { throw .shorter }
  }

  /// Returns the length that is stored in the last four bytes of a record. A record also begins with this length.
  private mutating func lengthBefore(_ recordEnd: Int) throws(StorageError) -> Int {
    let position = recordEnd - 4
    if position - start + 4 <= filled { return Int(buffer.span.uint32(at: position - start)) }
    var bytes: [UInt8] = [0, 0, 0, 0]
    guard try file.read(into: &bytes, at: 0, count: 4, from: position) == 4 else { throw .shorter }
    return Int(bytes.span.uint32(at: 0))
  }

  /// Returns true if all bytes from the offset on are zero. After a power cut, a file may be longer than the bytes that were
  /// written; its end then consists of zeros.
  private func isZeroFromHere() throws(StorageError) -> Bool {
    var bytes = [UInt8](repeating: 0, count: min(Self.chunk, end - offset))
    var position = offset
    while position < end {
      let count = try file.read(into: &bytes, at: 0, count: min(bytes.count, end - position), from: position)
      guard count > 0 else { throw .shorter }
      guard bytes[..<count].allSatisfy({ $0 == 0 }) else { return false }
      position += count
    }
    return true
  }

  /// Returns true if the file ends with a complete record that begins after the offset. The record at the offset is then not the
  /// last one, so if its length points beyond the end of the file, this length is damaged.
  private func hasWholeRecordBehind() throws(StorageError) -> Bool {
    guard let last = try LogTail.last(of: file, length: end) else { return false }
    return last.offset > offset
  }
}

extension StorageError {
  /// The error for a log that became shorter while it was read.
  static let shorter = StorageError(.readLog, code: ENODATA)
}
