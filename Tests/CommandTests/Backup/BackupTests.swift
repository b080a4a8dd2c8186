import FoundationEssentials
import Glibc
import SessionCore
import Storage
import Testing
import Wire

@testable import drawtogether

/// The effects of `backup`, and of `restore` with a backup.
@Suite("The commands `drawtogether backup` and `drawtogether restore`")
struct BackupTests {
  private static let file = UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9))
  private static let picture = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))

  private let folder: KeptFolder
  private let place: BackupPlace

  init() throws {
    folder = try KeptFolder()
    place = try BackupPlace()
  }

  private func backup(_ arguments: String...) -> CommandRun {
    CommandRun(["backup", place.backup, "--data", folder.path] + arguments)
  }

  private func drawing(_ id: String = "Backup00000000000000AA") -> MadeLog {
    var log = MadeLog(id)
    log.person(1, "Ada")
    log.run(MadeEntry(1, "one", .append, key: 1))
    return log
  }

  @Test("A backup contains all sessions, the files that they need, and no other files")
  func whole() async throws {
    var log = drawing()
    try await folder.make(log)
    let digest = try folder.place("a picture", in: log.id)
    _ = try folder.place("nobody's", in: log.id)
    log = drawing("Backup00000000000000BA")
    log.attachment(Self.picture, digest: digest, size: 9, offset: 9)
    try await folder.make(log)
    _ = try folder.place("a picture", in: log.id)
    let run = backup()
    #expect(run.code == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.hasPrefix("backup in \(place.backup): 2 sessions, 1 attachment, "))
    let verified = CommandRun(["verify", "--data", place.backup])
    #expect(verified.output.hasPrefix("2 sessions, 1 file, "))
    #expect(verified.code == 0)
    #expect(try place.bytes("sessions/\(log.id.text)/attachments/\(digest)") == Array("a picture".utf8))
    #expect(try place.bytes("sessions/\(log.id.text)/log") == folder.bytes("log", of: log.id))
  }

  @Test("A backup does not copy the incomplete last record of a log, and reports no fault")
  func torn() async throws {
    let log = drawing()
    try await folder.make(log)
    let bytes = try folder.bytes("log", of: log.id)
    // A truncated second copy of the last record is appended. The last four bytes of a record contain its length.
    let last = bytes.suffix(bytes.suffix(4).reduce(0) { $0 << 8 | Int($1) } + 12)
    for cut in [1, 5, last.count - 1] {
      try folder.put(bytes + last.dropLast(cut), as: "log", of: log.id)
      #expect(backup().code == 0)
      #expect(try place.bytes("sessions/\(log.id.text)/log") == bytes)
      #expect(CommandRun(["verify", "--data", place.backup]).code == 0)
      try place.clear()
    }
  }

  @Test("A damaged session is reported and copied unchanged, with all files")
  func damaged() async throws {
    let log = drawing()
    try await folder.make(log)
    let digest = try folder.place("what the damaged part may name", in: log.id)
    try folder.leave("some of it", of: Self.file, in: log.id)
    var bytes = try folder.bytes("log", of: log.id)
    bytes[bytes.count - 10] ^= 1
    try folder.put(bytes, as: "log", of: log.id)
    try folder.put([1, 2, 3], as: "log.damaged-1", of: log.id)
    let run = backup()
    #expect(run.code == 1)
    #expect(run.errors.hasPrefix("drawtogether: session Backup…: log, byte "))
    #expect(run.errors.contains("a record fails its check (length or CRC)"))
    #expect(run.output.hasSuffix("; 1 session copied including the damage found in the source\n"))
    let session = "sessions/\(log.id.text)"
    #expect(try place.bytes("\(session)/log") == bytes)
    #expect(try place.bytes("\(session)/log.damaged-1") == [1, 2, 3])
    #expect(try place.bytes("\(session)/uploads/\(Self.file.uuidString)") == Array("some of it".utf8))
    #expect(try place.bytes("\(session)/attachments/\(digest)").count == 30)
  }

  @Test("A missing content file is reported, and a session without a log is not copied")
  func missing() async throws {
    var log = drawing()
    log.attachment(Self.picture, digest: String(repeating: "a", count: 64), size: 9, offset: 9)
    try await folder.make(log)
    let none = try #require(SessionID("NoLog0000000000000000A"))
    try await folder.make(MadeLog(none.text))
    #expect(unsafe unlink(folder.file("log", of: none)) == 0)
    let run = backup("--json")
    #expect(run.code == 1)
    let told = run.errors.split(separator: "\n")
    #expect(told.count == 2)
    #expect(
      told.contains {
        $0.hasPrefix("drawtogether: session Backup…: attachments/aaaa")
          && $0.hasSuffix(" needs this file, which is missing")
      })
    #expect(told.contains { $0.hasPrefix("drawtogether: session NoLog0…: ") && $0.hasSuffix("not copied") })
    #expect(
      run.output.hasPrefix("{\"backup\":\"\(place.backup)\",\"sessions\":1,\"attachments\":1,\"bytes\":"))
    #expect(run.output.contains("\"faults\":2"))
    #expect(!FileManager.default.fileExists(atPath: "\(place.backup)/sessions/\(none.text)"))
  }

  @Test("The received bytes of an upload are copied, up to the size of the upload")
  func upload() async throws {
    var log = drawing()
    log.upload(Self.picture, file: Self.file)
    log.attachment(Self.picture, digest: nil, size: 9, offset: 5)
    try await folder.make(log)
    try folder.leave("twelve bytes", of: Self.file, in: log.id)
    #expect(backup().code == 0)
    let name = "sessions/\(log.id.text)/uploads/\(Self.file.uuidString)"
    #expect(try place.bytes(name) == Array("twelve by".utf8))
    try place.clear()
    try folder.leave("four", of: Self.file, in: log.id)
    let run = backup()
    #expect(run.code == 1)
    #expect(run.errors.contains(" were received, but the file has 4 bytes"))
  }

  @Test("Symbolic links are not followed, and files that do not belong to a data folder are not copied")
  func links() async throws {
    var log = drawing()
    let digest = String(repeating: "b", count: 64)
    log.attachment(Self.picture, digest: digest, size: 9, offset: 9)
    try await folder.make(log)
    try Data("elsewhere".utf8).write(to: URL(filePath: folder.path + "/notes.txt"))
    #expect(unsafe symlink(folder.path + "/notes.txt", folder.file("attachments/\(digest)", of: log.id)) == 0)
    #expect(unsafe symlink(folder.path + "/notes.txt", folder.path + "/tls-cert.pem") == 0)
    #expect(unsafe symlink("/", folder.path + "/sessions/Link000000000000000000") == 0)
    let run = backup()
    #expect(run.code == 1)
    #expect(run.errors.contains("Too many levels of symbolic links"))
    #expect(try place.names() == ["format", "lock", "sessions"])
    #expect(try place.names("sessions/\(log.id.text)/attachments").isEmpty)
  }

  @Test("The expiry time of a restored session starts again, and an ended session stays ended")
  func restored() async throws {
    var log = drawing()
    log.close()
    try await folder.make(log)
    var ended = drawing("Ended000000000000000AA")
    ended.end()
    try await folder.make(ended)
    #expect(backup().code == 0)
    let run = CommandRun(["restore", place.backup, "--data", place.restored])
    #expect(run.code == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.hasPrefix("restored into \(place.restored): 2 sessions, 0 attachments, "))
    let sessions = try StoredSessions(in: place.restored)
    #expect(try sessions.log(of: log.id).last()?.kind == 10)
    #expect(try sessions.log(of: ended.id).last()?.kind == 9)
    #expect(CommandRun(["verify", "--data", place.restored]).code == 0)
    let again = CommandRun(["restore", place.backup, "--data", place.restored])
    #expect(again.code == 2)
    #expect(
      again.errors
        == "drawtogether: --data: the data folder \(place.restored) has 2 sessions: a backup is restored into a "
        + "folder without sessions, so move these sessions away or name another folder\n")
  }

  @Test("The expiry time of a restored session starts again, even if damaged bytes were removed from its log")
  func restoredAfterDamage() async throws {
    var log = drawing()
    log.close()
    try await folder.make(log)
    try folder.put([1, 2, 3], as: "log.damaged-1", of: log.id)
    #expect(backup().code == 0)
    let run = CommandRun(["restore", place.backup, "--data", place.restored])
    #expect(run.code == 0)
    let sessions = try StoredSessions(in: place.restored)
    #expect(try sessions.log(of: log.id).last()?.kind == 10)
    #expect(
      try Data(contentsOf: URL(filePath: "\(place.restored)/sessions/\(log.id.text)/log.damaged-1")).count
        == 3)
    #expect(CommandRun(["verify", "--data", place.restored]).code == 1)
    #expect(CommandRun(["repair", log.id.text, "--data", place.restored]).code == 0)
    #expect(CommandRun(["verify", "--data", place.restored]).code == 0)
  }

  @Test(
    "`restore` treats an argument that names no folder as the prefix of a session id; a path to a missing folder is an error"
  )
  func names() async throws {
    var log = drawing("backup0000000000000AAA")
    log.end()
    try await folder.make(log)
    #expect(CommandRun(["restore", "backup0", "--data", folder.path]).output.hasPrefix("session backup…"))
    let none = CommandRun(["restore", "./none", "--data", place.restored])
    #expect(none.errors == "drawtogether: there is no folder ./none to restore\n")
  }
}

/// The folder for a test's backups, removed at the end.
final class BackupPlace {
  let path = FileManager.default.temporaryDirectory.path + "/drawtogether-backup-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)  // If the removal fails, the folder stays.
  }

  var backup: String { path + "/backup" }
  var restored: String { path + "/restored" }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(backup)/\(name)")))
  }

  func names(_ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(backup)/\(folder)").sorted()
  }

  func clear() throws { try FileManager.default.removeItem(atPath: backup) }
}
