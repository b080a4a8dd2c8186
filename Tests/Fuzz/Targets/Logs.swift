internal import SessionCore
internal import Storage
internal import TestSupport
internal import Platform
internal import Wire

/// The fuzz target for log files: complete, truncated and damaged files.
enum Logs {
  private static let executor = Result { try BlockingExecutor(name: "fuzz") }
  private static let id = SessionID(high: 1, low: 2)

  /// Byte 0 of the input chooses the meaning of the other bytes: the file of a log, or records. Records are framed into a log,
  /// which is then cut or changed at the offset in bytes 1 and 2, with the value in byte 3.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let choice = reader.byte() & 3
    guard choice != 0 else { return _ = try read(reader.takeRest()) }

    let place = Int(reader.byte()) << 8 | Int(reader.byte())
    let change = reader.byte()
    let records = records(&reader)
    var log = LogBytes()
    for record in records { log.append(record.kind, record.body) }
    let whole = try read(log.bytes)
    try expect(whole?.records.count == records.count && whole?.end.damage == nil, "\(whole as Any)")
    if let whole, !zip(whole.records, records).allSatisfy({ $0 == $1 }) {
      throw Finding("the read records differ from the written records")
    }

    var bytes = log.bytes
    let at = place % bytes.count
    if choice == 1 {
      bytes.removeLast(bytes.count - at)
    } else if change != 0 {
      bytes[at] ^= change
    } else {
      bytes.insert(UInt8(truncatingIfNeeded: place), at: at)
    }
    guard let damaged = try read(bytes) else { return }
    let isDamaged = damaged.end.damage != nil || !damaged.end.skipped.isEmpty
    try expect(isDamaged || bytes == log.bytes || choice == 1, "a changed byte is not detected")
    // The records that were read must be written records, in the order in which they were written.
    var written = records[...]
    for read in damaged.records {
      guard let place = written.firstIndex(where: { $0 == read }) else {
        throw Finding("a record was read that was not written")
      }
      written = written[(place + 1)...]
    }
    // The number of records is not checked if the inserted byte makes the length of a record point beyond the end of the file.
    // The reader may take such a record for an incomplete last record.
    let begin = log.ends.last { $0 <= at } ?? 0
    let told = begin + 4 <= bytes.count ? bytes[begin..<begin + 4].reduce(0) { $0 << 8 | Int($1) } : 0
    let leadsBeyond = change == 0 && (1...1 << 26).contains(told) && begin + told + 12 > bytes.count
    if choice != 1, !leadsBeyond {
      let isLast = at >= log.ends.dropLast().last ?? 0
      try expect(
        damaged.records.count >= records.count - (change == 0 ? 2 : 1) || isLast,
        "\(damaged.records.count) of \(records.count) records, changed at \(at)")
    }
  }

  private struct Reading {
    var records: [(kind: UInt8, body: [UInt8])] = []
    var end: LogEnd
  }

  /// Reads a log. Returns nil if the log cannot be used.
  private static func read(_ bytes: [UInt8]) throws -> Reading? {
    let store = FolderStore(try disk(bytes), on: try executor.get(), durability: .process)
    let log = try store.log(of: id)
    var records: [(kind: UInt8, body: [UInt8])] = []
    let end: LogEnd
    do throws(StorageError) {
      end = try log.read { record, body in
        records.append((record.kind, body.indices.map { body[$0] }))
      }
    } catch {
      try expect(!error.description.isEmpty, "no description")
      return nil
    }
    try expect(end.damage?.description.isEmpty != true, "no description")
    try expect(end.length == bytes.count && end.offset <= bytes.count, "\(end)")
    try expect((end.damage == nil) == (end.offset == end.length && !bytes.isEmpty), "\(end)")
    for (one, next) in zip(end.skipped, end.skipped.dropFirst()) {
      try expect(one.range.upperBound <= next.range.lowerBound, "\(end.skipped)")
    }
    if let last = try log.last() {
      try expect(
        end.damage != nil || records.last.map { $0 == (last.kind, last.body) } ?? false,
        "another record is found as the last one"
      )
    } else {
      // A search from the end does not find the last record if its frame is damaged.
      try expect(
        end.damage != nil || !end.skipped.isEmpty || records.isEmpty,
        "no last record is found, but \(records.count) are read")
    }
    return Reading(records: records, end: end)
  }

  private static func disk(_ bytes: [UInt8]) throws -> MemoryDisk {
    let disk = MemoryDisk()
    try disk.makeSession(id).write(bytes.span, at: 0)
    try disk.placeSession(id)
    return disk
  }
}
