import FoundationEssentials
import Glibc
import Storage
import Testing
import Platform
import Wire
import TestSupport

@Suite("An upload is written to its file, rolled back, restarted and finished")
struct UploadTests {
  private let one: OneSession
  private let id = UUID()

  init() throws {
    one = try OneSession()
  }

  private var path: String { "\(one.folder)/uploads/\(id.uuidString)" }

  private func append(_ text: String, to upload: UploadFile) throws {
    let bytes = Array(text.utf8)
    try upload.append(bytes.span)
  }

  @Test("The pieces of an upload form one file, with the digest of all bytes", arguments: [1, 3, 7, 56])
  func pieces(length: Int) throws {
    let upload = try one.attachments.createUpload(id)
    let bytes = Array(Digests.longText.utf8)
    for start in stride(from: 0, to: bytes.count, by: length) {
      #expect(upload.offset == UInt64(start))
      let piece = Array(bytes[start..<min(start + length, bytes.count)])
      try upload.append(piece.span)
    }
    #expect(one.temporary.contents(of: path) == bytes)
    #expect(one.temporary.mode(of: path) == 0o600)
    #expect(try upload.finish(syncs: true) == Digests.long)
  }

  @Test("An upload without any bytes can be finished")
  func empty() throws {
    let upload = try one.attachments.createUpload(id)
    #expect(upload.offset == 0)
    #expect(try upload.finish(syncs: false) == Digests.empty)
    #expect(one.temporary.contents(of: path) == [])
  }

  @Test("An upload that is finished cannot be appended to, rolled back or finished again")
  func ended() throws {
    let upload = try one.attachments.createUpload(id)
    _ = try upload.finish(syncs: false)
    #expect(throws: StorageError(.writeUpload, code: EBADF)) { try append("a", to: upload) }
    #expect(throws: StorageError(.rollBackUpload, code: EBADF)) { try upload.rollBack() }
    #expect(throws: StorageError(.finishUpload, code: EBADF)) { try upload.finish(syncs: false) }
  }

  @Test("A rollback restores the file, the offset and the digest at the time of `mark()`")
  func rollsBack() throws {
    let upload = try one.attachments.createUpload(id)
    try append("ab", to: upload)
    upload.mark()
    for wrong in ["x", "something longer", ""] {
      try append(wrong, to: upload)
      try upload.rollBack()
      #expect(upload.offset == 2)
      #expect(one.temporary.contents(of: path) == Array("ab".utf8))
    }
    try append("c", to: upload)
    #expect(try upload.finish(syncs: false) == Digests.abc)
  }

  @Test("If `mark()` was never called, a rollback returns to the offset at which the upload was opened")
  func rollsBackToOpening() throws {
    var upload = try one.attachments.createUpload(id)
    try append("xyz", to: upload)
    try upload.rollBack()
    #expect(upload.offset == 0)
    try append("ab", to: upload)
    upload = try one.attachments.openUpload(id)
    try append("xyz", to: upload)
    try upload.rollBack()
    try append("c", to: upload)
    #expect(try upload.finish(syncs: false) == Digests.abc)
  }

  @Test(
    "An upload that is opened again continues at the end of its file, and its digest covers all bytes",
    arguments: [0, 1, 262_143, 262_144, 262_145, 600_000])
  func goesOn(length: Int) throws {
    let bytes = (0..<600_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let (first, rest) = (Array(bytes[..<length]), Array(bytes[length...]))
    try one.attachments.createUpload(id).append(first.span)
    let upload = try one.attachments.openUpload(id)
    #expect(upload.offset == UInt64(length))
    try upload.append(rest.span)
    #expect(try upload.finish(syncs: false) == SHA256Digest(of: bytes.span).description)
  }

  @Test("A restarted upload is empty, and its former writer cannot change it")
  func beginsAnew() throws {
    let former = try one.attachments.createUpload(id)
    try append("former", to: former)
    let upload = try one.attachments.createUpload(id)
    try append("abc", to: upload)
    try append("former", to: former)
    #expect(one.temporary.contents(of: path) == Array("abc".utf8))
    #expect(try upload.finish(syncs: false) == Digests.abc)
  }

  @Test("A missing or discarded upload cannot be continued")
  func discards() throws {
    try one.attachments.discardUpload(id)
    #expect(throws: StorageError(.openUpload, code: ENOENT)) { try one.attachments.openUpload(id) }
    let upload = try one.attachments.createUpload(id)
    try one.attachments.discardUpload(id)
    #expect(one.temporary.names(in: "\(one.folder)/uploads") == [])
    // A writer that continues after the removal has no effect.
    try append("abc", to: upload)
    _ = try upload.finish(syncs: false)
    #expect(throws: StorageError(.placeContent, code: ENOENT)) {
      try one.attachments.place(id, as: Digests.abc, syncs: false)
    }
  }

  @Test("Symbolic links are not followed for reading or writing, anywhere in the path of an upload")
  func links() throws {
    try one.temporary.makeFolder("outside")
    try one.temporary.write("precious", to: "outside/file")
    let outside = one.temporary.path + "/outside"
    try one.temporary.link(path, to: outside + "/file")
    #expect(throws: StorageError(.openUpload, code: ELOOP)) { try one.attachments.openUpload(id) }
    try append("abc", to: try one.attachments.createUpload(id))
    #expect(one.temporary.contents(of: path) == Array("abc".utf8))

    for folder in ["uploads", "attachments"] {
      try FileManager.default.removeItem(atPath: "\(one.temporary.path)/\(one.folder)/\(folder)")
      try one.temporary.link("\(one.folder)/\(folder)", to: outside)
    }
    #expect(throws: StorageError(.createUpload, code: ENOTDIR)) { try one.attachments.createUpload(id) }
    #expect(throws: StorageError(.openContent, code: ENOTDIR)) {
      try one.attachments.openContent(Digests.abc)
    }
    try one.attachments.removeSession()
    #expect(one.temporary.names(in: "data/sessions") == [])

    try one.temporary.link(one.folder, to: outside)
    #expect(throws: StorageError(.makeSession, code: ENOTDIR)) { try one.attachments.make() }
    try one.attachments.removeSession()
    #expect(one.temporary.names(in: "outside") == ["file"])
    #expect(one.temporary.contents(of: "outside/file") == Array("precious".utf8))
  }

  @Test(
    "If the file of an upload is a pipe, or the file of a content is a folder, opening the file fails without waiting"
  )
  func wrongKind() throws {
    #expect(unsafe mkfifo("\(one.temporary.path)/\(path)", 0o600) == 0)
    #expect(throws: StorageError(.openUpload, code: EINVAL)) { try one.attachments.openUpload(id) }
    try one.temporary.makeFolder("\(one.folder)/attachments/\(Digests.abc)")
    #expect(throws: StorageError(.openContent, code: EINVAL)) {
      try one.attachments.openContent(Digests.abc)
    }
  }
}
