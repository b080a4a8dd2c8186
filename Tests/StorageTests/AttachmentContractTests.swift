import FoundationEssentials
import Glibc
import Platform
import Storage
import Testing
import Wire

/// The contract of `AttachmentStore`, which every implementation fulfils. These tests use the protocol only, and no files.
@Suite("Contract of a store's attachments")
struct AttachmentContractTests {
  @Test(
    "A finished upload becomes the content of an attachment, which can be read at any offset",
    arguments: StoreKind.allCases)
  func uploads(_ kind: StoreKind) async throws {
    let fixture = try await AttachmentFixture(kind)
    let upload = try fixture.store.createUpload(fixture.name, of: .one)
    #expect(upload.offset == 0)
    for part in ["a", "bcdbcde", "cdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"] {
      try upload.append(Array(part.utf8).span)
    }
    #expect(upload.offset == UInt64(Digests.longText.utf8.count))
    try upload.sync()
    #expect(try upload.finish() == Digests.long)
    let mark = try #require(try fixture.store.place(fixture.name, as: Digests.long, of: .one))
    #expect(mark.length == UInt64(Digests.longText.utf8.count))
    let content = try fixture.store.openContent(Digests.long, of: .one)
    #expect(content.mark == mark)
    #expect(try content.read(at: 0, count: 3) == Array("abc".utf8))
    #expect(try content.read(at: 53, count: 3) == Array("opq".utf8))
    #expect(try content.read(at: 56, count: 0) == [])
    #expect(throws: StorageError(.readContent, code: ENODATA)) { try content.read(at: 54, count: 3) }
    #expect(throws: StorageError(.openContent, code: ENOENT)) {
      try fixture.store.openContent(Digests.abc, of: .one)
    }
    #expect(throws: StorageError(.openContent, code: ENOENT)) {
      try fixture.store.openContent(Digests.long, of: .two)
    }
  }

  @Test("An upload that is opened again continues at its end", arguments: StoreKind.allCases)
  func continues(_ kind: StoreKind) async throws {
    let fixture = try await AttachmentFixture(kind)
    #expect(throws: StorageError(.openUpload, code: ENOENT)) {
      _ = try fixture.store.openUpload(fixture.name, of: .one)
    }
    let first = try fixture.store.createUpload(fixture.name, of: .one)
    try first.append([UInt8(ascii: "a")].span)
    first.park()
    try first.resume()
    try first.append([UInt8(ascii: "b")].span)
    first.park()
    try first.sync()
    let second = try fixture.store.openUpload(fixture.name, of: .one)
    #expect(second.offset == 2)
    try second.append([UInt8(ascii: "c")].span)
    second.park()
    #expect(try second.finish() == Digests.abc)
    // A new upload with the same name is empty.
    #expect(try fixture.store.createUpload(fixture.name, of: .one).offset == 0)
  }

  @Test("Bytes that are rolled back do not affect the digest of an upload", arguments: StoreKind.allCases)
  func rollsBack(_ kind: StoreKind) async throws {
    let fixture = try await AttachmentFixture(kind)
    let upload = try fixture.store.createUpload(fixture.name, of: .one)
    try upload.append(Array("ab".utf8).span)
    upload.mark()
    try upload.append(Array("xyz".utf8).span)
    try upload.rollBack()
    #expect(upload.offset == 2)
    try upload.append(Array("c".utf8).span)
    #expect(try upload.finish() == Digests.abc)
  }

  @Test("Content that is stored a second time has a new `ContentMark`", arguments: StoreKind.allCases)
  func marks(_ kind: StoreKind) async throws {
    let fixture = try await AttachmentFixture(kind)
    let first = try fixture.place("abc")
    let open = try fixture.store.openContent(Digests.abc, of: .one)
    let second = try fixture.place("abc")
    #expect(first != second)
    #expect(open.mark == first)
    #expect(try fixture.store.openContent(Digests.abc, of: .one).mark == second)
  }

  @Test(
    "Uploads and contents are listed until they are removed; content that was opened before its removal can still be read",
    arguments: StoreKind.allCases)
  func removes(_ kind: StoreKind) async throws {
    let fixture = try await AttachmentFixture(kind)
    #expect(try fixture.store.files(of: .one) == [])
    _ = try fixture.place("abc")
    let upload = try fixture.store.createUpload(fixture.name, of: .one)
    try upload.append([1, 2].span)
    let files = try fixture.store.files(of: .one).sorted { $0.place.rawValue < $1.place.rawValue }
    #expect(files.map(\.place) == [.attachments, .uploads])
    #expect(files.map(\.name) == [Digests.abc, fixture.name.uuidString])
    #expect(files.map(\.length) == [3, 2])
    let content = try fixture.store.openContent(Digests.abc, of: .one)
    for _ in 0..<2 {
      try fixture.store.removeContent(Digests.abc, of: .one)
      try fixture.store.discardUpload(fixture.name, of: .one)
    }
    #expect(try fixture.store.files(of: .one) == [])
    #expect(try content.read(at: 0, count: 3) == Array("abc".utf8))
    #expect(throws: StorageError(.placeContent, code: ENOENT)) {
      _ = try fixture.store.place(fixture.name, as: Digests.abc, of: .one)
    }
    _ = try fixture.place("abc")
    try fixture.store.removeAll(of: .one)
    try fixture.store.removeAll(of: .one)
    #expect(try fixture.store.files(of: .one) == [])
    #expect(try fixture.store.freeBytes() > 0)
  }
}

/// The attachments of one session.
private struct AttachmentFixture {
  let fixture: ContractStore
  let name = UUID()

  init(_ kind: StoreKind) async throws {
    fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
  }

  var store: any AttachmentStore { fixture.attachments }

  /// Uploads a text and stores it as content.
  func place(_ text: String) throws -> ContentMark? {
    let upload = try store.createUpload(name, of: .one)
    try upload.append(Array(text.utf8).span)
    return try store.place(name, as: upload.finish(), of: .one)
  }
}
