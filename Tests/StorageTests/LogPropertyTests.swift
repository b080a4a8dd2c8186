import SessionCore
import Testing
import Wire
import TestSupport

@testable import Storage

@Suite("Logs of random records are read correctly with any buffer size")
struct LogPropertyTests {
  @Test("Reading a log gives the same result with any buffer size", arguments: UInt64(1)...20)
  func chunks(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let records = Self.records(&random)
    let bench = try Backend.memory.make()
    try bench.place(LogDamageTests.written(records))
    for chunk in [1, 2, 13, 100, 1 << 20] {
      #expect(try Self.read(bench, chunk: chunk).records == records, "\(chunk) bytes at a time")
    }
  }

  @Test(
    "A log is read up to the record that has a changed byte, with any buffer size", arguments: UInt64(1)...20)
  func changes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let records = Self.records(&random)
    let written = LogDamageTests.written(records)
    let start = LogDamageTests.written([]).count
    for _ in 0..<20 {
      var bytes = written
      let place = Int.random(in: start..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[place] ^= UInt8.random(in: 1...255, using: &random)
      case 1: bytes.removeLast(bytes.count - place)
      default: bytes.insert(bytes[place] ^ 1, at: place)
      }
      let bench = try Backend.memory.make()
      try bench.place(bytes)
      let whole = records.indices.prefix { LogDamageTests.written(Array(records[...$0])).count <= place }
      for chunk in [1, 64, 1 << 20] {
        let read = try Self.read(bench, chunk: chunk)
        #expect(read.records == Array(records[..<whole.count]), "\(chunk) bytes at a time, place \(place)")
        #expect(read.isDamaged == (bytes.count > read.offset))
      }
    }
  }

  private static func read(
    _ bench: Bench, chunk: Int
  ) throws -> (records: [SessionRecord], offset: Int, isDamaged: Bool) {
    let file = try bench.disk.openFile(.current, of: .one, toWrite: false)
    var reader = LogReader(
      file, from: LogFormat.firstRecord.count, chain: LogFormat.firstChain,
      to: try file.information().length, chunk: chunk)
    var records: [SessionRecord] = []
    while true {
      let offset = reader.offset
      switch try reader.next() {
      case .record(let kind, let body):
        let kind = try #require(SessionRecord.Kind(rawValue: kind))
        records.append(SessionRecord(kind: kind, body: Array(reader.buffer[body])))
      case .end: return (records, offset, false)
      case .damage: return (records, offset, true)
      }
    }
  }

  private static func records(_ random: inout SeededGenerator) -> [SessionRecord] {
    (0..<Int.random(in: 1...12, using: &random)).map { _ in
      let kind = SessionRecord.Kind.allCases[
        Int.random(in: 0..<SessionRecord.Kind.allCases.count, using: &random)]
      let count = Int.random(in: 0...([0, 5, 300].randomElement(using: &random) ?? 0), using: &random)
      return SessionRecord(
        kind: kind, body: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
  }
}
