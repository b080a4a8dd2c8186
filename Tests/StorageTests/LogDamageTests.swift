import Glibc
import SessionCore
import Storage
import Testing
import Wire

@Suite("Damage in a log is detected, and the intact records are still read")
struct LogDamageTests {
  /// The records in the log of these tests. `ends` contains the offset of each record's end.
  static let records: [SessionRecord] = [.session, .numbers, .run(1), .base(0), .run(2)]
  static let bytes = written(records)
  static let ends = records.indices.map { written(Array(records[...$0])).count }

  /// Returns a log with the format record and these records. It is framed without the code under test, and its CRC-32 is computed
  /// bit by bit.
  static func written(_ records: [SessionRecord]) -> [UInt8] {
    var (bytes, chain): ([UInt8], UInt32) = ([], 0)
    let format = (UInt8(0), Array("drawtogether log".utf8) + [0, 0, 0, 1])
    for (kind, body) in [format] + records.map({ ($0.kind.rawValue, $0.body) }) {
      for byte in [kind] + body { chain = Self.continued(chain, byte) }
      bytes.append(bigEndian: UInt32(body.count + 1))
      bytes.append(bigEndian: chain)
      bytes += [kind] + body
      bytes.append(bigEndian: UInt32(body.count + 1))
    }
    return bytes
  }

  private static func continued(_ checksum: UInt32, _ byte: UInt8) -> UInt32 {
    var rest = ~checksum ^ UInt32(byte)
    for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
    return ~rest
  }

  @Test(
    "ST3 All complete records in any prefix of a log are read; if the format record is complete, records can be appended",
    arguments: Backend.allCases)
  func prefixes(_ backend: Backend) async throws {
    let start = Self.written([]).count
    for length in 0...Self.bytes.count {
      let bench = try backend.make()
      try bench.place(Array(Self.bytes[..<length]))
      let fixture = try StoreFixture(bench)
      let whole = Self.ends.filter { $0 <= length }.count
      let (records, end) = try fixture.read()
      #expect(records == Array(Self.records[..<whole]), "\(length) bytes")
      let expected = whole > 0 ? Self.ends[whole - 1] : length >= start ? start : 0
      #expect(end.offset == expected && end.length == length, "\(length) bytes: \(end)")
      #expect(end.damage == (length == end.offset && length > 0 ? nil : .torn), "\(length) bytes: \(end)")
      let last = try fixture.store.lastRecord(of: .one)
      #expect((last != nil) == (whole > 0 && length == end.offset), "\(length) bytes")
      guard length >= start else {
        await #expect(throws: StorageError(.openLog, code: ESTALE)) {
          try await fixture.store.adopt(.one, end, [.numbers])
        }
        continue
      }
      #expect(try await fixture.store.adopt(.one, end, [.numbers]) == end.offset + 17)
      #expect(try fixture.read().records == Array(Self.records[..<whole]) + [.numbers], "\(length) bytes")
      #expect(try bench.bytes(.damaged(1)) == nil, "\(length) bytes")
    }
  }

  @Test(
    "ST4 Every flipped bit is detected, and at most the record with this bit is lost",
    arguments: Backend.allCases)
  func flippedBits(_ backend: Backend) async throws {
    let start = Self.written([]).count
    let bench = try backend.make()
    try bench.place(Self.bytes)
    let fixture = try StoreFixture(bench)
    let file = try bench.disk.openFile(.current, of: .one, toWrite: true)
    for position in Self.bytes.indices {
      let record = Self.ends.firstIndex { $0 > position } ?? 0
      let begin = record == 0 ? start : Self.ends[record - 1]
      let isInHead = position < begin + 8
      let isInFrame = position < begin + 4 || position >= Self.ends[record] - 4
      // If the CRC of a record is damaged, the CRC of the next record proves that the body is intact. The last record has no next
      // record, so it is lost.
      let isRead = position < start || isInFrame || isInHead && record < Self.records.count - 1
      var expected = Self.records
      if !isRead { expected.remove(at: record) }
      for bit in 0..<8 {
        let flipped = [Self.bytes[position] ^ 1 << bit]
        try file.write(flipped.span, at: position)
        let (records, end) = try fixture.read()
        #expect(records == expected, "bit \(bit) of \(position)")
        #expect(end.damage == .broken || !end.skipped.isEmpty, "bit \(bit) of \(position): \(end)")
        #expect(end.lost.isEmpty == isRead, "bit \(bit) of \(position): \(end)")
      }
      try file.write([Self.bytes[position]].span, at: position)
    }
    #expect(try fixture.read().records == Self.records)
    #expect(try fixture.read().end.skipped == [])
  }

  @Test(
    "ST9 Each time that the end of a log is damaged, the damaged bytes are kept in a file, and the session continues",
    arguments: Backend.allCases)
  func keepsRest(_ backend: Backend) async throws {
    for durability in [Durability.process, .full] {
      let bench = try backend.make()
      var damaged = Self.bytes
      damaged[Self.ends[3] + 20] ^= 1
      try bench.place(damaged)
      let fixture = try StoreFixture(bench, durability)
      var last: [UInt8] = []
      for number in 1...18 {
        let (records, end) = try fixture.read()
        #expect(records.prefix(4) == Self.records.prefix(4) && end.damage == .broken)
        let rest = Array(try #require(try bench.bytes())[end.offset...])
        last = number > 16 ? last + rest : rest
        _ = try await fixture.store.adopt(.one, end, [.run(1)])
        await fixture.store.release(.one)
        #expect(try fixture.read().end.damage == nil)
        #expect(try bench.bytes(.damaged(min(number, 16))) == last, "number \(number)")
        let file = try bench.disk.openFile(.current, of: .one, toWrite: true)
        let length = try file.information().length
        // A record with a wrong CRC.
        let broken = [0, 0, 0, 5, 1, 1, 1, UInt8(number), 3, 0, 0, 16, 0, 0, 0, 0, 5] as [UInt8]
        try file.write(broken.span, at: length)
      }
      #expect(try bench.bytes(.damaged(17)) == nil)
    }
  }

  @Test("If a log ends with zero bytes, they count as an incomplete last record")
  func zeros() async throws {
    for count in [1, 12, 13, 4096] {
      let bench = try Backend.memory.make()
      try bench.place(Self.bytes + [UInt8](repeating: 0, count: count))
      let fixture = try StoreFixture(bench)
      let (records, end) = try fixture.read()
      #expect(records == Self.records && end.damage == .torn && end.offset == Self.bytes.count)
      _ = try await fixture.store.adopt(.one, end, [.run(3)])
      #expect(try fixture.read().records == Self.records + [.run(3)])
    }
  }

  @Test("The bytes of a failed write are never read as records")
  func chain() throws {
    let bench = try Backend.memory.make()
    // The last record is complete, but its CRC does not continue the CRC of the previous record.
    let other = Self.written([.session, .session, .run(7)]).suffix(Self.written([.run(7)]).count - 33)
    try bench.place(Self.bytes + other)
    let fixture = try StoreFixture(bench)
    let (records, end) = try fixture.read()
    #expect(records == Self.records && end.damage == .broken)
  }

  @Test(
    "If a record in a log has an impossible length, the log counts as damaged, and no memory is allocated for that length"
  )
  func lengths() throws {
    for length: UInt32 in [0x0400_0001, 0x7FFF_FFFF, .max] {
      var bytes = Self.bytes
      bytes.append(bigEndian: length)
      bytes += [UInt8](repeating: 1, count: 40)
      let bench = try Backend.memory.make()
      try bench.place(bytes)
      #expect(try StoreFixture(bench).read().end.damage == .broken)
    }
  }

  @Test(
    "ST8 Logs of newer versions, and files that are not logs, are refused with a message",
    arguments: Backend.allCases)
  func refusals(_ backend: Backend) throws {
    let version2: [UInt8] = [
      0x00, 0x00, 0x00, 0x15, 0x2A, 0x1B, 0x5A, 0x6D, 0x00,
      0x64, 0x72, 0x61, 0x77, 0x74, 0x6F, 0x67, 0x65, 0x74, 0x68, 0x65, 0x72, 0x20, 0x6C, 0x6F, 0x67,
      0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x15,
    ]
    let text = Array("This is a text that somebody has put there by hand.".utf8)
    let cases: [([UInt8], StorageError, String)] = [
      (
        version2 + [1, 2, 3], .newerVersion(found: 2, known: 1),
        "the log has version 2, and this version of DrawTogether reads up to 1"
      ),
      (
        text, .damagedStart,
        "the file is not a log, or its beginning is damaged"
      ),
      (
        Self.bytes.suffix(Self.bytes.count - 34), .damagedStart,
        "the file is not a log, or its beginning is damaged"
      ),
    ]
    for (bytes, error, words) in cases {
      let bench = try backend.make()
      try bench.place(bytes)
      let fixture = try StoreFixture(bench)
      #expect(throws: error) { try fixture.read() }
      #expect(throws: error) { try fixture.store.lastRecord(of: .one) }
      #expect(error.description == words)
      #expect(try bench.bytes() == bytes)
    }
    let fixture = try StoreFixture(backend.make())
    let missing = #expect(throws: StorageError.self) { try fixture.read(.two) }
    #expect(missing?.isMissing == true)
    #expect(missing?.description == "cannot open the log of a session: No such file or directory")
    #expect(try fixture.store.byteCount(of: .two) == nil)
  }
}
