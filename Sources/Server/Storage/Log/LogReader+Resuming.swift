internal import Glibc
internal import Wire

/// Recovery of the records after a record that failed its check.
///
/// The CRC of a record is computed from the CRC of the record before it, and from the kind and the body of the record itself. So
/// the record is said to continue the earlier CRC.
///
/// A participant can send a payload that looks like records. So the reader accepts a record after damage in two cases only. First
/// case: the record continues the CRC of the damaged record or of the record before it, and no sender can predict that CRC.
/// Second case: from this record to the end of the file, each record ends exactly where the next one begins, so none of them lies
/// inside another record. The first case excludes the CRC of a log's first record. This CRC is the same in all logs, so a sender
/// can predict it.
extension LogReader {
  /// A way to continue after damage.
  enum Resumption: Equatable {
    /// Only the frame of the record is damaged. The record is complete, and `body` is the range of its body in `buffer`.
    case record(kind: UInt8, body: Range<Int>)
    /// All bytes from the damaged record to the new offset of the reader are lost.
    case skipped
  }

  /// The start, the end and the CRC of bytes that look like a record: the length at their start equals the length at their end.
  struct Frame: Equatable {
    var offset: Int
    var end: Int
    var checksum: UInt32
  }

  /// The maximum number of lengths that one search reads from the file one by one. A record has its length at its start and again
  /// at its end. The search must read the length at the end separately if this length is beyond the buffer of the search.
  private static let lookups = 1 << 20

  /// Moves the reader past the record that failed its check, to the offset at which reading can continue.
  ///
  /// - Returns: nil when no readable record follows; the offset is then unchanged.
  /// - Throws: `StorageError` when the file cannot be read, or has become shorter.
  mutating func resume() throws(StorageError) -> Resumption? {
    let begin = offset
    guard end - begin > LogFormat.overhead, let length = try number(at: begin),
      let stored = try number(at: begin + 4)
    else { return nil }
    let behind = begin + Int(length) + LogFormat.overhead
    let isPossible = (1...LogFormat.maximumLength).contains(Int(length))
    if isPossible, behind <= end {
      let body = begin + LogFormat.headerLength..<behind - 4
      let computed = try checksum(of: body, continuing: chain)
      // If the CRC is correct, only the length at the end of the record is damaged.
      if computed == stored { return try accept(upTo: behind, chain: stored) }
      // `computed` is the CRC that this record should have. If the CRC of the next record was computed from `computed`, only the
      // CRC field of this record is damaged.
      if try isWhole(at: behind, continuing: computed) { return try accept(upTo: behind, chain: computed) }
      if try isWhole(at: behind, continuing: stored) { return skip(to: behind, chain: stored) }
      if let framed, begin >= framed { return behind < end ? skip(to: behind, chain: stored) : nil }
    }
    let first = try firstFrame(behind: begin)
    // Inserted bytes between two records change neither CRC: the CRC of the second record is still computed from the CRC of the
    // first record.
    var next: (offset: Int, chain: UInt32)?
    if let first, try isWhole(at: first.offset, continuing: stored) {
      next = (first.offset, stored)
    } else if let first, try isWhole(at: first.offset, continuing: chain) {
      next = (first.offset, chain)
    } else if begin > 0 {
      let unpredictable = [stored, chain].filter { $0 != LogFormat.firstChain }
      next = try search(from: begin + 1, continuing: unpredictable)
    }
    if let next {
      return try isRecord(upTo: next.offset, stored)
        ? accept(upTo: next.offset, chain: stored) : skip(to: next.offset, chain: next.chain)
    }
    if try isRecord(upTo: end, stored) { return try accept(upTo: end, chain: stored) }
    // If the damaged record has a valid length but would end after the end of the file, it may be the last record, whose write
    // was interrupted. In that case, no other record follows.
    guard !isPossible || behind <= end, let first, first.end < end else { return nil }
    framed = first.offset
    // The record in the first frame is lost too: its CRC cannot be checked, because the CRC of the record before it is unknown.
    return skip(to: first.end, chain: first.checksum)
  }

  /// Returns true if the damaged record ends at a position and is complete, so that only its lengths are wrong.
  private func isRecord(upTo position: Int, _ stored: UInt32) throws(StorageError) -> Bool {
    let body = offset + LogFormat.headerLength..<max(position - 4, offset + LogFormat.headerLength)
    guard (1...LogFormat.maximumLength).contains(body.count) else { return false }
    return try checksum(of: body, continuing: chain) == stored
  }

  private mutating func skip(to position: Int, chain: UInt32) -> Resumption {
    offset = position
    self.chain = chain
    return .skipped
  }

  private mutating func accept(upTo position: Int, chain: UInt32) throws(StorageError) -> Resumption {
    try fillBuffer(position - offset)
    let first = offset - start + LogFormat.headerLength
    let body = first + 1..<position - start - 4
    offset = position
    self.chain = chain
    return .record(kind: buffer[first], body: body)
  }

  /// Returns true if a complete record begins at `position`, and its CRC continues `chain`, the CRC of the record before it.
  private func isWhole(at position: Int, continuing chain: UInt32) throws(StorageError) -> Bool {
    guard let length = try number(at: position), let stored = try number(at: position + 4) else {
      return false
    }
    let behind = position + Int(length) + LogFormat.overhead
    guard (1...LogFormat.maximumLength).contains(Int(length)), behind <= end,
      try number(at: behind - 4) == length
    else { return false }
    return try checksum(of: position + LogFormat.headerLength..<behind - 4, continuing: chain) == stored
  }

  /// Finds the first record at or after `position` whose CRC continues one of `chains`, the CRCs of possible preceding records.
  /// Returns the record's offset and the preceding CRC.
  ///
  /// The cost is linear in the number of bytes: the search gives up when the checked candidates have about four times as many
  /// bytes as the searched part of the file.
  private func search(
    from position: Int, continuing chains: [UInt32]
  ) throws(StorageError) -> (offset: Int, chain: UInt32)? {
    var bytes = [UInt8](repeating: 0, count: min(2 * Self.chunk, end - position))
    var budget = 4 * (end - position) + LogFormat.maximumLength
    var lookups = Self.lookups
    var from = position
    while end - from > LogFormat.overhead {
      let count = try file.read(into: &bytes, at: 0, count: min(bytes.count, end - from), from: from)
      guard count > LogFormat.overhead else { throw .shorter }
      let isLast = from + count >= end
      // The next iteration searches the second half of these bytes, together with the bytes after them.
      let searched = isLast ? count - LogFormat.overhead : max(count / 2, 1)
      let span = bytes.span
      for index in 0..<searched {
        // A fast first test: the first byte of a valid length is at most 4, and most other bytes of a log are greater.
        guard span[index] <= UInt8(LogFormat.maximumLength >> 24) else { continue }
        let length = Int(span.uint32(at: index))
        let behind = index + length + LogFormat.overhead
        guard (1...LogFormat.maximumLength).contains(length), from + behind <= end else { continue }
        if behind <= count {
          guard Int(span.uint32(at: behind - 4)) == length else { continue }
        } else {
          lookups -= 1
          guard lookups > 0, try number(at: from + behind - 4).map(Int.init) == length else { continue }
        }
        for chain in chains {
          budget -= length
          guard budget > 0 else { return nil }
          if try isWhole(at: from + index, continuing: chain) { return (from + index, chain) }
        }
      }
      if isLast { return nil }
      from += searched
    }
    return nil
  }

  /// Finds the first frame at or after `position` that begins a chain of frames without gaps, up to exactly the end of the file.
  private mutating func firstFrame(behind position: Int) throws(StorageError) -> Frame? {
    // The result of an earlier search is reused: every search from a position before the found frame finds the same frame.
    if let lowest, lowest.map({ $0.offset > position }) ?? true { return lowest }
    var first: Frame?
    var boundary = end
    while boundary > position, let frame = try frame(endingAt: boundary) {
      // A record begins at `position`, and this frame begins before `position` and ends after it. So this frame is not a record:
      // it consists of bytes inside a record's body that only look like a frame. The later frames may consist of such bytes too,
      // so none of them is used.
      guard frame.offset >= position else {
        lowest = .some(nil)
        return nil
      }
      first = frame
      boundary = frame.offset
    }
    lowest = first
    return first
  }

  private func frame(endingAt boundary: Int) throws(StorageError) -> Frame? {
    guard boundary > LogFormat.overhead, let length = try number(at: boundary - 4) else { return nil }
    let begin = boundary - Int(length) - LogFormat.overhead
    guard (1...LogFormat.maximumLength).contains(Int(length)), begin >= 0, try number(at: begin) == length,
      let checksum = try number(at: begin + 4)
    else { return nil }
    return Frame(offset: begin, end: boundary, checksum: checksum)
  }

  /// Returns four bytes of the file as a number; nil if the file ends before them.
  private func number(at position: Int) throws(StorageError) -> UInt32? {
    guard position >= 0, position + 4 <= end else { return nil }
    if position >= start, position - start + 4 <= filled { return buffer.span.uint32(at: position - start) }
    var bytes: [UInt8] = [0, 0, 0, 0]
    guard try file.read(into: &bytes, at: 0, count: 4, from: position) == 4 else { throw .shorter }
    return bytes.span.uint32(at: 0)
  }

  /// Computes the CRC of a range of the file. Reads the range in pieces.
  private func checksum(of range: Range<Int>, continuing chain: UInt32) throws(StorageError) -> UInt32 {
    var chain = chain
    var bytes = [UInt8](repeating: 0, count: min(Self.chunk, range.count))
    var position = range.lowerBound
    while position < range.upperBound {
      let wanted = min(bytes.count, range.upperBound - position)
      guard try file.read(into: &bytes, at: 0, count: wanted, from: position) == wanted else {
        throw .shorter
      }
      chain = LogFormat.checksum(of: bytes.span.extracting(first: wanted), continuing: chain)
      position += wanted
    }
    return chain
  }
}
