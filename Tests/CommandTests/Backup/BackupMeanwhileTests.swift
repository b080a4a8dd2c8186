import FoundationEssentials
import Glibc
import SessionCore
import Storage
import Testing
import Wire

@testable import drawtogether

/// Backups of a session that changes between the copies of its log and its files.
@Suite("A backup is complete even if its sessions change during the copy")
struct BackupMeanwhileTests {
  private static let file = UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9))
  private static let picture = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
  private static let id = "Meanwhile0000000000AAA"

  private let folder: KeptFolder
  private let place: BackupPlace

  init() throws {
    folder = try KeptFolder()
    place = try BackupPlace()
  }

  /// Returns the bytes of a log with these records.
  private func bytes(of log: MadeLog) async throws -> [UInt8] {
    let other = try KeptFolder()
    try await other.make(log)
    return try other.bytes("log", of: log.id)
  }

  /// Copies the session. `meanwhile` runs before each repeated attempt.
  private func copy(
    _ id: SessionID, afterLog: @escaping () -> Void = {}, meanwhile: @escaping () -> Void
  ) throws -> SessionCopying.Outcome? {
    let source = try DataFolder(beside: folder.path)
    let copy = try DataFolderCopy(of: source, at: place.backup, for: .backup)
    let outcome = try SessionCopying.copy(
      SessionCopy(of: id, in: copy), for: .backup, .init(wait: meanwhile, afterLog: afterLog))
    try copy.finish()
    return outcome
  }

  @Test("If the content of an attachment is removed during the backup, the log is copied again")
  func removed() async throws {
    var log = MadeLog(Self.id)
    log.attachment(Self.picture, digest: String(repeating: "a", count: 64), size: 9, offset: 9)
    try await folder.make(log)
    log.run(
      MadeEntry(0, "attachment", [], .remove, key: EntryKey(Self.picture), flags: [.reliable, .system]))
    let after = try await bytes(of: log)
    var waits = 0
    let outcome = try copy(log.id) {
      waits += 1
      #expect(throws: Never.self) { try folder.put(after, as: "log", of: log.id) }
    }
    #expect(waits == 1)
    #expect(outcome?.faults == [])
    #expect(outcome?.attachments == 0)
    #expect(try place.bytes("sessions/\(Self.id)/log") == after)
  }

  @Test("A copy has all files that its log refers to, even if attachments come and go during the copy")
  func busy() async throws {
    var log = MadeLog(Self.id)
    try await folder.make(log)
    // Thirty attachments are added and removed, one after another. Each log in `logs` refers to one of them. After the backup has
    // copied a log, the file of the attachment in this log is removed.
    var contents: [String] = []
    var logs: [[UInt8]] = []
    for number in 0..<30 {
      let id = UUID(uuid: (3, UInt8(number), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
      contents.append(try folder.place("picture \(number)", in: log.id))
      let length = UInt64("picture \(number)".utf8.count)
      log.attachment(id, digest: contents[number], size: length, offset: length)
      logs.append(try await bytes(of: log))
      log.run(MadeEntry(0, "attachment", [], .remove, key: EntryKey(id), flags: [.reliable, .system]))
      try folder.remove("attachments/\(contents[number])", of: log.id)
    }
    var number = -1
    func change() {
      #expect(throws: Never.self) {
        if number >= 0 { try folder.remove("attachments/\(contents[number])", of: log.id) }
        number += 1
        _ = try folder.place("picture \(number)", in: log.id)
        try folder.put(logs[number], as: "log", of: log.id)
      }
    }
    change()
    let outcome = try copy(log.id, afterLog: change) {}
    #expect(outcome?.faults == [])
    #expect(try place.names("sessions/\(Self.id)/attachments") == [contents[0]])
    #expect(CommandRun(["verify", "--data", place.backup]).code == 0)
  }

  @Test(
    "A missing upload file is not a fault if the log, when it is read again, records the removal of the upload"
  )
  func discarded() async throws {
    var log = MadeLog(Self.id)
    log.upload(Self.picture, file: Self.file)
    log.attachment(Self.picture, digest: nil, size: 9, offset: 5)
    try await folder.make(log)
    log.run(
      MadeEntry(0, "attachment", [], .remove, key: EntryKey(Self.picture), flags: [.reliable, .system]))
    let after = try await bytes(of: log)
    var waits = 0
    let outcome = try copy(log.id) {
      waits += 1
      // The disk is slow: the record of the removal is missing from the log in the first five attempts.
      if waits == 5 { #expect(throws: Never.self) { try folder.put(after, as: "log", of: log.id) } }
    }
    #expect(waits == 5)
    #expect(outcome?.faults == [])
  }

  @Test("The copy of a session reports a file that stays missing, even while other attachments change")
  func staysWhileBusy() async throws {
    var log = MadeLog(Self.id)
    log.attachment(Self.picture, digest: String(repeating: "a", count: 64), size: 9, offset: 9)
    try await folder.make(log)
    // Each log also refers to one other attachment, whose file was removed before it could be copied.
    var logs: [[UInt8]] = []
    for number in 0..<3 {
      let id = UUID(uuid: (4, UInt8(number), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
      log.attachment(id, digest: String(repeating: "b", count: 64), size: 9, offset: 9)
      logs.append(try await bytes(of: log))
      log.run(MadeEntry(0, "attachment", [], .remove, key: EntryKey(id), flags: [.reliable, .system]))
    }
    logs.append(try await bytes(of: log))
    try folder.put(logs[0], as: "log", of: log.id)
    var waits = 0
    let outcome = try copy(log.id) {
      waits += 1
      #expect(throws: Never.self) { try folder.put(logs[waits], as: "log", of: log.id) }
    }
    #expect(waits == 3)
    #expect(outcome?.faults.count == 1)
  }

  @Test(
    "An upload that is completed during the backup is copied only once, as the content of its attachment")
  func finished() async throws {
    var log = MadeLog(Self.id)
    log.upload(Self.picture, file: Self.file)
    log.attachment(Self.picture, digest: nil, size: 9, offset: 5)
    try await folder.make(log)
    let digest = try folder.place("a picture", in: log.id)
    log.attachment(Self.picture, digest: digest, size: 9, offset: 9)
    let after = try await bytes(of: log)
    let outcome = try copy(log.id) {
      #expect(throws: Never.self) { try folder.put(after, as: "log", of: log.id) }
    }
    #expect(outcome?.faults == [])
    #expect(outcome?.attachments == 1)
    #expect(try place.names("sessions/\(Self.id)/attachments") == [digest])
    #expect(try place.names("sessions/\(Self.id)/uploads").isEmpty)
    #expect(CommandRun(["verify", "--data", place.backup]).code == 0)
  }

  @Test(
    "Content that was copied, but that the last copy of the log does not need, is removed from the backup"
  )
  func superseded() async throws {
    var log = MadeLog(Self.id)
    let other = UUID(uuid: (2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
    let empty = MadeLog(Self.id)
    try await folder.make(empty)
    let digest = try folder.place("there at first", in: log.id)
    log.attachment(Self.picture, digest: digest, size: 14, offset: 14)
    log.attachment(other, digest: String(repeating: "b", count: 64), size: 9, offset: 9)
    try folder.put(try await bytes(of: log), as: "log", of: log.id)
    for id in [Self.picture, other] {
      log.run(MadeEntry(0, "attachment", [], .remove, key: EntryKey(id), flags: [.reliable, .system]))
    }
    let after = try await bytes(of: log)
    let outcome = try copy(log.id) {
      #expect(throws: Never.self) { try folder.put(after, as: "log", of: log.id) }
    }
    #expect(outcome?.faults == [])
    #expect(outcome?.bytes == UInt64(after.count))
    #expect(try place.names("sessions/\(Self.id)/attachments").isEmpty)
  }

  @Test("A session that is removed during the backup leaves no files in the copy")
  func gone() async throws {
    var log = MadeLog(Self.id)
    log.attachment(Self.picture, digest: String(repeating: "a", count: 64), size: 9, offset: 9)
    try await folder.make(log)
    let outcome = try copy(log.id) {
      #expect(throws: Never.self) {
        try FileManager.default.removeItem(atPath: folder.path + "/sessions/" + Self.id)
      }
    }
    #expect(outcome == nil)
    #expect(try place.names("sessions").isEmpty)
  }

  @Test("A content file that is still missing at the second attempt to copy it is reported")
  func stays() async throws {
    var log = MadeLog(Self.id)
    log.attachment(Self.picture, digest: String(repeating: "a", count: 64), size: 9, offset: 9)
    try await folder.make(log)
    var waits = 0
    let outcome = try copy(log.id) { waits += 1 }
    #expect(waits == 1)
    #expect(outcome?.faults.count == 1)
    #expect(outcome?.isCopied == true)
  }

  @Test("The copy of a session reports a file that stays missing, even if the log grows during the copy")
  func staysWhileDrawn() async throws {
    var log = MadeLog(Self.id)
    log.person(1, "Ada")
    log.attachment(Self.picture, digest: String(repeating: "a", count: 64), size: 9, offset: 9)
    try await folder.make(log)
    log.run(MadeEntry(1, "one", .append, key: 1))
    let after = try await bytes(of: log)
    var waits = 0
    let outcome = try copy(log.id) {
      waits += 1
      #expect(throws: Never.self) { try folder.put(after, as: "log", of: log.id) }
    }
    #expect(waits == 1)
    #expect(outcome?.faults.count == 1)
    #expect(try place.bytes("sessions/\(Self.id)/log") == after)
  }

  @Test(
    "Copying a session returns the id of the successor session that the log of the copied session announces")
  func successors() async throws {
    var log = MadeLog(Self.id)
    let next = try #require(SessionID("Next0000000000000000-A"))
    log.run(
      MadeEntry(
        0, "newSession", NewSessionPayload(session: next, by: 1).encoded(), flags: [.reliable, .system]),
      // An entry of type `newSession` from a participant announces no successor; only an entry of the gateway does.
      MadeEntry(1, "newSession", NewSessionPayload(session: log.id, by: 1).encoded()))
    try await folder.make(log)
    #expect(try copy(log.id) {}?.successors == [next])
  }
}
