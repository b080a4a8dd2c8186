import SessionCore
import Storage
import Testing
import Wire
import TestSupport

@Suite("The format of a log, version 1")
struct LogFormatTests {
  /// A log that was written by hand, with CRCs from another program.
  static let bytes: [UInt8] = [
    // length 21 (u32) | CRC (u32) | kind 0 (u8): a record of the store | "drawtogether log" | version 1 (u32) | length 21 (u32)
    0x00, 0x00, 0x00, 0x15, 0xB3, 0x12, 0x0B, 0xD7, 0x00,
    0x64, 0x72, 0x61, 0x77, 0x74, 0x6F, 0x67, 0x65, 0x74, 0x68, 0x65, 0x72, 0x20, 0x6C, 0x6F, 0x67,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x15,
    // length 3 (u32) | CRC (u32), continues the CRC above | kind 1 (u8): `session` | "{}" | length 3 (u32)
    0x00, 0x00, 0x00, 0x03, 0x84, 0x77, 0x95, 0x1C, 0x01, 0x7B, 0x7D, 0x00, 0x00, 0x00, 0x03,
    // length 5 (u32) | CRC (u32), continues the CRC above | kind 3 (u8): `numbers` | 4096 (u32) | length 5 (u32)
    0x00, 0x00, 0x00, 0x05, 0xEA, 0x9F, 0xD7, 0x13, 0x03, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x05,
  ]

  @Test("A new log has exactly the bytes of format version 1")
  func bytes() async throws {
    let folder = TemporaryFolder()
    let data = try DataFolder(opening: folder.path)
    let fixture = try StoreFixture(FolderDisk(data))
    try await fixture.store.create(.one, [.session])
    #expect(try await fixture.append([.numbers]).get() == Self.bytes.count)
    #expect(folder.contents(of: "sessions/\(SessionID.one.text)/log") == Self.bytes)
    #expect(try fixture.read().records == [.session, .numbers])
    await fixture.store.release(.one)
    let length = try await fixture.store.adopt(.one, fixture.read().end, [.run(1)])
    #expect(try fixture.store.byteCount(of: .one) == length)
    #expect(try fixture.store.lastRecord(of: .one)?.body == SessionRecord.run(1).body)
    try await fixture.store.beginCompaction(.one, [.session, .numbers], through: 0)
    try await fixture.store.addToCompaction(.one, [.base(0)])
    _ = try await fixture.store.finishCompaction(.one)
    #expect(try fixture.read().records == [.session, .numbers, .base(0), .run(1)])
    try await fixture.store.remove(.one)
    #expect(try fixture.store.sessions() == [])
  }
}
