import FoundationEssentials
import Glibc
import SessionCore
import Synchronization
import Testing
import Wire
import TestSupport

@testable import Storage

@Suite("After damaged bytes in a log, the reader continues with the next intact record")
struct LogResumingTests {
  private static let start = LogDamageTests.written([]).count

  /// Returns a log with a session, its participants, and runs of one entry each, of several lengths.
  private static func records(_ count: Int) -> [SessionRecord] {
    [.session, .numbers] + (1...count).map { .run(UInt64($0), payload: 1 + $0 * 37 % 211) }
  }

  private static func places(_ records: [SessionRecord]) -> [Range<Int>] {
    var begin = start
    return records.map { record in
      defer { begin += 13 + record.body.count }
      return begin..<begin + 13 + record.body.count
    }
  }

  private static func read(_ bytes: [UInt8]) throws -> (records: [SessionRecord], end: LogEnd) {
    let bench = try Backend.memory.make()
    try bench.place(bytes)
    return try StoreFixture(bench).read()
  }

  @Test("ST4 After 200 random bit flips in logs of 400 entries, every intact record is read unchanged")
  func randomFlips() throws {
    let records = Self.records(400)
    let (bytes, places) = (LogDamageTests.written(records), Self.places(records))
    var random = SeededGenerator(seed: 16)
    for flip in 0..<200 {
      let position = Int(random.next() % UInt64(bytes.count))
      var damaged = bytes
      damaged[position] ^= 1 << UInt8(random.next() % 8)
      let (found, end) = try Self.read(damaged)
      let hit = places.firstIndex { $0.contains(position) }
      let body = hit.map { places[$0].lowerBound + 8..<places[$0].upperBound - 4 }
      var expected = records
      // The last record is also lost if its CRC is damaged, because no next record proves that its body is intact.
      if let hit, let body, body.contains(position) || hit == records.count - 1 && found.count < records.count
      {
        expected.remove(at: hit)
      }
      #expect(found == expected, "flip \(flip), byte \(position) of record \(hit ?? -1)")
      #expect(!end.skipped.isEmpty || end.damage == .broken)
    }
  }

  @Test("ST4 If the bodies of several records are damaged, only these records are lost")
  func severalFlips() throws {
    let records = Self.records(200)
    let (bytes, places) = (LogDamageTests.written(records), Self.places(records))
    var random = SeededGenerator(seed: 17)
    for round in 0..<100 {
      var damaged = bytes
      var hit: Set<Int> = []
      for _ in 0..<(2 + round % 9) {
        // The test damages only the bodies of records. A record contains its length twice: at its beginning and at its end. If
        // both lengths of two records were damaged, all records between these two would be lost.
        let record = Int(random.next() % UInt64(records.count))
        let place = places[record]
        damaged[place.lowerBound + 8 + Int(random.next() % UInt64(place.count - 12))] ^= 0x55
        hit.insert(record)
      }
      let (found, _) = try Self.read(damaged)
      let expected = records.indices.filter { index in
        !hit.contains(index)
      }.map { records[$0] }
      #expect(found == expected, "round \(round), records \(hit.sorted())")
    }
  }

  @Test(
    "ST4 If bytes are inserted, removed or zeroed, only the affected records are lost, and at most one record after them"
  )
  func regions() throws {
    let records = Self.records(300)
    let (bytes, places) = (LogDamageTests.written(records), Self.places(records))
    var random = SeededGenerator(seed: 18)
    for round in 0..<60 {
      let position = Self.start + Int(random.next() % UInt64(bytes.count - 6000 - Self.start))
      let length = [1, 7, 300, 4096][round % 4]
      var damaged = bytes
      switch round % 3 {
      case 0: damaged.insert(contentsOf: [UInt8](repeating: 0x41, count: length), at: position)
      case 1: damaged.removeSubrange(position..<position + length)
      default:
        damaged.replaceSubrange(position..<position + length, with: [UInt8](repeating: 0, count: length))
      }
      let touched = position..<(round % 3 == 0 ? position + 1 : position + length)
      let first = try #require(places.firstIndex { $0.upperBound > touched.lowerBound })
      let behind = places.firstIndex { $0.lowerBound >= touched.upperBound } ?? places.count
      let (found, end) = try Self.read(damaged)
      #expect(found.starts(with: records[..<first]), "round \(round)")
      let told = Int(damaged.span.uint32(at: places[first].lowerBound))
      // The damaged bytes may look like the length of a record that reaches beyond the end of the file. The reader may take this
      // record for an incomplete last one, and stop there. So the test expects no records after the damage in this case.
      if (1...1 << 26).contains(told), places[first].lowerBound + told + 12 > damaged.count { continue }
      let rest = Array(records[min(behind + 1, records.count)...])
      #expect(Array(found.suffix(rest.count)) == rest, "round \(round)")
      #expect(found.allSatisfy { records.contains($0) } && found.count >= first + rest.count)
      #expect(!end.lost.isEmpty || found == records)
    }
  }

  @Test(
    "ST4 If a log has a zeroed range of any length, only the range's records and the next record are lost")
  func holes() throws {
    let records =
      [.session, .numbers] + (1...300).map { SessionRecord.run(UInt64($0), payload: $0 * 37_511 % 20_011) }
    let (bytes, places) = (LogDamageTests.written(records), Self.places(records))
    #expect(bytes.count > 5 * LogReader.chunk / 2)
    for (begin, length) in [
      (10_000, LogReader.chunk * 3 / 2), (LogReader.chunk - 2_000, 4_096), (LogReader.chunk - 2_000, 20_000),
      (LogReader.chunk + 70_000, LogReader.chunk),
    ] {
      let hole = begin..<begin + length
      var damaged = bytes
      damaged.replaceSubrange(hole, with: [UInt8](repeating: 0, count: length))
      let (found, end) = try Self.read(damaged)
      let first = try #require(places.firstIndex { $0.upperBound > hole.lowerBound })
      let behind = try #require(places.firstIndex { $0.lowerBound >= hole.upperBound })
      #expect(found.starts(with: records[..<first]))
      #expect(Array(found.suffix(records.count - behind - 1)) == Array(records[(behind + 1)...]))
      #expect(found.allSatisfy { records.contains($0) } && !end.lost.isEmpty)
    }
  }

  @Test("ST12 Bytes of a payload are never read as records, wherever the log is damaged")
  func forged() throws {
    // A payload may contain bytes that look like records. The CRC of each forged record is computed from the CRC of the forged
    // record before it.
    let forged = LogDamageTests.written([.run(900), .run(901), .run(902), .run(903)])
    var run = SessionRecord.run(3, payload: 0)
    run.body += [UInt8](repeating: 7, count: 40) + forged + [UInt8](repeating: 7, count: 40) + forged
    let records: [SessionRecord] = [.session, .numbers, .run(1), run, .run(5), .run(6)]
    let bytes = LogDamageTests.written(records)
    let place = Self.places(records)[3]
    for position in place {
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        var damaged = bytes
        damaged[position] ^= change
        #expect(try Self.read(damaged).records.allSatisfy { records.contains($0) }, "byte \(position)")
        // The reader must also return no forged record if the damaged file ends within the record, or at the end of a forged
        // record.
        let cut = Array(damaged[..<min(place.upperBound - 4, position + 200)])
        #expect(try Self.read(cut).records.allSatisfy { records.contains($0) }, "byte \(position), cut")
      }
    }
    for cut in place { #expect(try Self.read(Array(bytes[..<cut])).records == Array(records[..<3])) }
    // Both lengths of the record, at its beginning and at its end, are damaged. The end of the file is intact.
    var damaged = bytes
    for position in [place.lowerBound, place.upperBound - 4] {
      damaged.replaceSubrange(position..<position + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
    }
    #expect(try Self.read(damaged).records == records)
    damaged[place.lowerBound + 20] ^= 1
    #expect(try Self.read(damaged).records == records.filter { $0 != run })
  }

  @Test("ST12 A payload is never read as records, even if its bytes continue the CRC of the first record")
  func forgedBehindFirstRecord() throws {
    // Every log begins with the same record. So a participant knows the CRC of this record, and can forge a second record whose
    // CRC is computed from it.
    let forged = LogDamageTests.written([.run(900), .run(901)])
    var run = SessionRecord.run(3, payload: 0)
    run.body += [UInt8](repeating: 7, count: 40) + forged + [UInt8](repeating: 7, count: 40)
    let records: [SessionRecord] = [.session, run, .run(4)]
    let bytes = LogDamageTests.written(records)
    for position in Self.places(records)[0] {
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        var damaged = bytes
        damaged[position] ^= change
        #expect(try Self.read(damaged).records.allSatisfy { records.contains($0) }, "byte \(position)")
      }
      var longer = bytes
      longer.insert(UInt8(truncatingIfNeeded: position), at: position)
      #expect(try Self.read(longer).records.allSatisfy { records.contains($0) }, "inserted at \(position)")
      // This file ends within its last record. So no unbroken series of frames reaches the end of the file, and the reader must
      // search for records byte by byte.
      let cut = Array(longer.dropLast(3))
      #expect(try Self.read(cut).records.allSatisfy { records.contains($0) }, "inserted at \(position), cut")
    }
  }

  @Test("ST12 If bytes are inserted after the format record, no record is lost")
  func insertedBehindFirstRecord() throws {
    let records: [SessionRecord] = [.session, .numbers, .run(1)]
    var bytes = LogDamageTests.written(records)
    bytes.insert(contentsOf: [9, 9, 9], at: Self.places(records)[0].lowerBound)
    #expect(try Self.read(bytes).records == records)
  }

  @Test(
    "ST9 A log with damage in the middle is rewritten, and the bytes of the lost record are kept in a file",
    arguments: Backend.allCases)
  func writtenAnew(_ backend: Backend) async throws {
    let records = Self.records(30)
    let (bytes, places) = (LogDamageTests.written(records), Self.places(records))
    for durability in [Durability.process, .full] {
      let bench = try backend.make()
      var damaged = bytes
      damaged[places[9].lowerBound + 15] ^= 4
      damaged[places[20].upperBound - 1] ^= 4
      try bench.place(damaged)
      let fixture = try StoreFixture(bench, durability)
      let (found, end) = try fixture.read()
      var expected = records
      expected.remove(at: 9)
      #expect(found == expected)
      #expect(
        end.skipped == [
          SkippedBytes(range: places[9], isLost: true), SkippedBytes(range: places[20], isLost: false),
        ])
      let length = try await fixture.store.adopt(.one, end, [.session])
      #expect(try bench.bytes() == LogDamageTests.written(expected + [.session]))
      #expect(try bench.bytes()?.count == length)
      #expect(try bench.bytes(.damaged(1)) == Array(damaged[places[9]]))
      #expect(try bench.bytes(.next) == nil)
      _ = try await fixture.append([.numbers]).get()
      let (again, end2) = try fixture.read()
      #expect(again == expected + [.session, .numbers] && end2.damage == nil && end2.skipped == [])
      #expect(try fixture.store.damage(of: .one).map(\.name) == [.damaged(1)])
      try fixture.store.accept(.damaged(1), of: .one)
      #expect(try fixture.store.damage(of: .one).isEmpty)
      #expect(try bench.bytes(.accepted(1)) == Array(damaged[places[9]]))
    }
  }

  @Test(
    "ST9 Damage that loses no record is repaired, and no file with damaged bytes is kept",
    arguments: [0, 33, 37])
  func mended(_ position: Int) async throws {
    let bench = try Backend.memory.make()
    var damaged = LogDamageTests.bytes
    damaged[position] ^= 1
    try bench.place(damaged)
    let fixture = try StoreFixture(bench)
    let end = try fixture.read().end
    #expect(end.lost.isEmpty && end.skipped.count == 1)
    _ = try await fixture.store.adopt(.one, end, [])
    #expect(try bench.bytes() == LogDamageTests.bytes)
    #expect(try bench.bytes(.damaged(1)) == nil)
  }

  @Test(
    "Reading a damaged log reads fewer bytes than 40 times its length, even if payloads look like record lengths"
  )
  func cost() throws {
    // At each byte of the payload, the next four bytes are a possible length of a record within the file.
    var run = SessionRecord.run(1, payload: 0)
    run.body += [UInt8](repeating: 0, count: 200_000).indices.map { $0 % 4 == 2 ? 1 : 0 }
    let records: [SessionRecord] = [.session, run, .run(2)]
    var bytes = LogDamageTests.written(records)
    bytes[Self.places(records)[1].lowerBound] ^= 0x80
    let file = CountingFile(bytes)
    #expect(try LogSnapshot(file).read { _, _ in }.lost.isEmpty)
    #expect(file.readBytes < 40 * bytes.count)
  }
}

/// A file in memory that counts the bytes that are read from it.
private final class CountingFile: SessionFile {
  private let bytes: [UInt8]
  private let count = Atomic(0)

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var readBytes: Int { count.load(ordering: .relaxed) }

  func information() -> (length: Int, modified: Date, changed: Date) {
    (bytes.count, .distantPast, .distantPast)
  }

  func read(into target: inout [UInt8], at position: Int, count wanted: Int, from offset: Int) -> Int {
    let read = max(0, min(wanted, bytes.count - offset))
    if read > 0 { target.replaceSubrange(position..<position + read, with: bytes[offset..<offset + read]) }
    count.add(read, ordering: .relaxed)
    return read
  }

  func write(_ bytes: Span<UInt8>, at offset: Int) throws(StorageError) {
    throw StorageError(.writeLog, code: EROFS)
  }
  func truncate(to length: Int) throws(StorageError) { throw StorageError(.cutLog, code: EROFS) }
  func sync() {}
  func lock() {}
  func unlock() {}
}
