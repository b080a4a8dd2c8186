/// A writer of logs with the same record format as the store. The code follows the description of the format, so that it does not
/// depend on the code under test.
struct LogBytes {
  private(set) var bytes: [UInt8] = []
  /// The offset of each record's end.
  private(set) var ends: [Int] = []
  private var chain: UInt32 = 0

  /// Creates a log with the format record.
  init() {
    append(0, Array("drawtogether log".utf8) + [0, 0, 0, 1])
  }

  mutating func append(_ kind: UInt8, _ body: [UInt8]) {
    var crc = ~chain
    for byte in [kind] + body { crc = crc >> 8 ^ Self.table[Int((crc ^ UInt32(byte)) & 0xFF)] }
    chain = ~crc
    append(UInt32(body.count + 1))
    append(chain)
    bytes += [kind] + body
    append(UInt32(body.count + 1))
    ends.append(bytes.count)
  }

  private mutating func append(_ number: UInt32) {
    for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
  }
}

/// Parses records from an input: a byte for the kind, two for the length, then the body.
func records(_ reader: inout InputReader, atMost count: Int = 64) -> [(kind: UInt8, body: [UInt8])] {
  var records: [(kind: UInt8, body: [UInt8])] = []
  while !reader.isAtEnd, records.count < count {
    let kind = reader.byte()
    let length = Int(reader.byte()) << 8 | Int(reader.byte())
    records.append((kind, reader.take(length)))
  }
  return records
}
