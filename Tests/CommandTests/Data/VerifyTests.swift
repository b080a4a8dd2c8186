import FoundationEssentials
import Storage
import Testing
import Wire

@testable import SessionCore
@testable import drawtogether

/// The faults that `verify` finds.
@Suite("The command `drawtogether verify`")
struct VerifyTests {
  private static let photo = UUID(uuid: (0xAA, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  private static let later = UUID(uuid: (0xAA, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))
  private static let arriving = UUID(uuid: (0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  private static let arrived = UUID(uuid: (0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))
  private static let text = "bytes of a photo"
  /// The SHA-256 of the photo, and the SHA-256 of the text "not yet all".
  private static let digest = "f9e4f1e05cfd7db04c1b9f5ba1f5ae471b087652c6ecd1dc187f986cc8ccb63c"
  private static let otherDigest = "f89b891140f748892c48e494b2ccd9f9803c966ff04f3ad5ccfc85fa9e4e5438"

  private let folder: KeptFolder
  private let id: SessionID

  /// Creates a session with entries, a photo, and an upload with 6 of 9 bytes.
  init() async throws {
    folder = try KeptFolder()
    let log = Self.log()
    id = log.id
    try await folder.make(log)
    _ = try folder.place(Self.text, in: id)
    try folder.leave("6 of 9", of: Self.arriving, in: id)
  }

  private static func log(_ more: (inout MadeLog) -> Void = { _ in }) -> MadeLog {
    var log = MadeLog("Verify000000000000000A")
    log.person(1, "Ada")
    log.run(MadeEntry(1, "one", .append, key: 1), MadeEntry(1, "", .remove, key: 1))
    log.run(MadeEntry(1, "for two"), targets: [1, 2])
    log.upload(photo, file: UUID(), content: (digest, 16))
    log.attachment(photo, digest: digest, size: 16, offset: 16)
    log.upload(later, file: arriving)
    log.attachment(later, digest: nil, size: 9, offset: 6)
    more(&log)
    return log
  }

  /// Returns the faults of a session in another folder. The session has the same files as this test's session, and the same log
  /// with the additional records that `more` appends.
  private func faults(_ more: (inout MadeLog) -> Void) async throws -> [String] {
    let other = try KeptFolder()
    try await other.make(Self.log(more))
    _ = try other.place(Self.text, in: id)
    try other.leave("6 of 9", of: Self.arriving, in: id)
    return try SessionCheck(id, in: try other.opened()).faults.map(\.description)
  }

  private func run(_ prefix: String...) -> CommandRun {
    CommandRun(["verify", "--data", folder.path] + prefix)
  }

  @Test("For a folder without faults, `verify` prints one line with totals")
  func well() async throws {
    let bytes = try folder.bytes("log", of: id).count
    let run = run()
    #expect(run.code == 0)
    #expect(run.errors.isEmpty)
    #expect(
      run.output == "1 session, 2 files, \(ShownFigures.size(UInt64(bytes))) of logs: no faults found\n")
    #expect(self.run("Ver").output == run.output)
    #expect(self.run("Xer").errors == "drawtogether: no session in \(folder.path) begins with Xer\n")
    let empty = try KeptFolder()
    #expect(
      CommandRun(["verify", "--data", empty.path]).output
        == "0 sessions, 0 files, 0 B of logs: no faults found\n"
    )
  }

  @Test("Every single changed bit of a log is reported as a fault")
  func flippedBits() async throws {
    let folder = try KeptFolder()
    var log = MadeLog("Verify000000000000000A", title: "T")
    log.run(MadeEntry(1, "one", .append, key: 1))
    try await folder.make(log)
    let bytes = try folder.bytes("log", of: id)
    let sessions = try folder.opened()
    var missed: [String] = []
    for place in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        try folder.put(damaged, as: "log", of: id)
        if try SessionCheck(id, in: sessions).faults.isEmpty { missed.append("\(place).\(bit)") }
      }
    }
    #expect(missed.isEmpty)
  }

  @Test("A truncated log is reported as a fault, unless it ends between two records")
  func cut() throws {
    let bytes = try folder.bytes("log", of: id)
    var boundaries: Set<Int> = [bytes.count]
    let sessions = try folder.opened()
    _ = try sessions.log(of: id).read { record, _ in boundaries.insert(record.offset) }
    // A log that ends at the first boundary has no `session` record, which names the session. So this log has a fault.
    boundaries.remove(boundaries.min() ?? 0)
    for length in bytes.indices {
      try folder.put(Array(bytes[..<length]), as: "log", of: id)
      let check = try SessionCheck(id, in: sessions)
      let fault = check.faults.first { if case .log = $0 { true } else { false } }
      #expect((fault == nil) == boundaries.contains(length), "\(length): \(check.faults)")
      #expect(check.wholeBytes <= length)
    }
  }

  @Test(
    "ST9 Lost records are reported until `repair` accepts the loss, even if the damaged bytes were removed from the log earlier",
    arguments: [true, false])
  func repair(isMended: Bool) async throws {
    let whole = try folder.bytes("log", of: id)
    var offsets: [Int] = []
    _ = try folder.opened().log(of: id).read { record, _ in offsets.append(record.offset) }
    // The first `run` record is damaged.
    var bytes = whole
    bytes[offsets[3] + 20] ^= 1
    try folder.put(bytes, as: "log", of: id)
    let lost = offsets[4] - offsets[3]
    let damaged = run()
    #expect(damaged.code == 1)
    #expect(
      damaged.output
        == "Verify… log, byte \(offsets[3]): \(lost) bytes fail their check (length or CRC) and are lost; "
        + "the records after them can be read\n")
    let export = CommandRun(["export", "Verify", "--data", folder.path])
    #expect(export.code == 1 && export.output.contains("\"targets\":[1,2]"))
    #expect(export.errors.hasPrefix("drawtogether: session Verify…: log, byte \(offsets[3]): "))
    #expect(CommandRun(["sessions", "--data", folder.path]).code == 0)

    if isMended {
      let end = try folder.store.log(of: id).read { _, _ in }
      _ = try await folder.store.adopt(id, end, [])
      await folder.store.release(id)
      let mended = run()
      #expect(mended.code == 1)
      #expect(
        mended.output
          == "Verify… log.damaged-1: \(lost) damaged bytes were removed from the log: to accept the loss, run drawtogether "
          + "repair Verify…\n")
    }
    try folder.unlock()
    let repaired = CommandRun(["repair", "Verify", "--data", folder.path])
    #expect(repaired.code == 0, "\(repaired.errors)")
    #expect(
      repaired.output
        == "session Verify…: the loss of \(lost) damaged bytes is accepted; the bytes remain beside the log, in log.accepted-N\n"
    )
    #expect(run().code == 0)
    #expect(try folder.bytes("log.accepted-1", of: id) == Array(bytes[offsets[3]..<offsets[4]]))
    #expect(CommandRun(["export", "Verify", "--data", folder.path]).output.contains("\"targets\":[1,2]"))
    let again = CommandRun(["repair", "Verify", "--data", folder.path])
    #expect(again.code == 1)
    #expect(
      again.errors == "drawtogether: session Verify… is not damaged: there is nothing to repair\n")
  }

  @Test("ST9 `repair` corrects a changed bit in the frame of a log record, and no record is lost")
  func repairFrame() throws {
    var bytes = try folder.bytes("log", of: id)
    let whole = bytes
    var offsets: [Int] = []
    _ = try folder.opened().log(of: id).read { record, _ in offsets.append(record.offset) }
    bytes[offsets[3]] ^= 1
    try folder.put(bytes, as: "log", of: id)
    #expect(run().code == 1)
    try folder.unlock()
    let repaired = CommandRun(["repair", "Verify", "--data", folder.path])
    #expect(repaired.code == 0)
    #expect(repaired.output == "session Verify…: the log is repaired without a loss\n")
    #expect(try folder.bytes("log", of: id) == whole)
    #expect(run().code == 0)
  }

  @Test("S76 A repair that loses a record begins a new epoch and sets `damaged` in the `session` record")
  func repairBeginsEpoch() throws {
    var bytes = try folder.bytes("log", of: id)
    var offsets: [Int] = []
    _ = try folder.opened().log(of: id).read { record, _ in offsets.append(record.offset) }
    bytes[offsets[3] + 20] ^= 1
    try folder.put(bytes, as: "log", of: id)
    try folder.unlock()
    #expect(CommandRun(["repair", "Verify", "--data", folder.path]).code == 0)
    var facts: SessionHeaderRecord?
    _ = try folder.opened().store.read(id) { (kind, body) throws(RecordError) in
      if kind == SessionRecord.Kind.session.rawValue { facts = try SessionHeaderRecord(body) }
    }
    #expect(facts?.isDamaged == true)
    #expect(facts?.history?.pairs.allSatisfy { $0.through == 0 } ?? true)
    #expect(facts?.epoch.isEmpty == false)
  }

  @Test(
    "S76 An ended session that lost its `session` record is still ended after `repair`, and `restore` accepts it"
  )
  func repairOfEnded() throws {
    try folder.unlock()
    #expect(CommandRun(["end", "Verify", "--data", folder.path]).code == 0)
    var bytes = try folder.bytes("log", of: id)
    var offsets: [Int] = []
    _ = try folder.opened().log(of: id).read { record, _ in
      if record.kind == SessionRecord.Kind.session.rawValue { offsets.append(record.offset) }
    }
    for offset in offsets { bytes[offset + 20] ^= 1 }
    try folder.put(bytes, as: "log", of: id)
    try folder.unlock()
    #expect(CommandRun(["repair", "Verify", "--data", folder.path]).code == 0)
    #expect(run().code == 0)
    #expect(CommandRun(["sessions", "--json", "--data", folder.path]).output.contains(#""state":"ended""#))
    #expect(CommandRun(["restore", "Verify", "--data", folder.path]).code == 0)
    #expect(run().code == 0)
    #expect(CommandRun(["export", "Verify", "--data", folder.path]).output.contains("\"targets\":[1,2]"))
    var facts: SessionHeaderRecord?
    var block: ParticipantNumber = 0
    _ = try folder.opened().store.read(id) { (kind, body) throws(RecordError) in
      if kind == SessionRecord.Kind.session.rawValue { facts = try SessionHeaderRecord(body) }
      if kind == SessionRecord.Kind.numbers.rawValue { block = max(block, try NumbersRecord(body).through) }
    }
    // The lost records may have reserved a block of participant numbers, so `repair` reserves another block.
    #expect(facts?.isDamaged == true && block >= 2 * 4096)
  }

  @Test("Every single changed byte of an attachment is reported as a fault")
  func flippedContent() throws {
    let bytes = Array(Self.text.utf8)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 1
      try folder.put(damaged, as: "attachments/\(Self.digest)", of: id)
      #expect(try SessionCheck(id, in: try folder.opened()).faults.count == 1)
    }
    try folder.put(Array("not yet all".utf8), as: "attachments/\(Self.digest)", of: id)
    let run = run()
    #expect(run.code == 1)
    #expect(
      run.output == """
        Verify… attachments/\(Self.digest): the file's name is not the SHA-256 of the file's content, which is \(Self.otherDigest)
        Verify… attachments/\(Self.digest): attachment \(Self.photo) has 16 bytes, but the file has 11 bytes

        """)
    #expect(run.errors.hasPrefix("drawtogether: 2 faults in 1 of 1 session, 2 files, "))
  }

  @Test("A missing or truncated file of an attachment is reported as a fault")
  func missingFiles() throws {
    try FileManager.default.removeItem(atPath: folder.file("attachments/\(Self.digest)", of: id))
    try folder.put(Array("5 of ".utf8), as: "uploads/\(Self.arriving)", of: id)
    #expect(
      try SessionCheck(id, in: try folder.opened()).faults.map(\.description) == [
        "attachments/\(Self.digest): attachment \(Self.photo) needs this file, which is missing",
        "uploads/\(Self.arriving): the log says that 6 bytes of attachment \(Self.later) were received, "
          + "but the file has 5 bytes",
      ])
  }

  @Test(
    "`verify` reports no fault for a file to which no attachment refers, because a crash can leave such a file"
  )
  func leftovers() throws {
    _ = try folder.place("nobody's", in: id)
    try folder.leave("nobody's", of: UUID(), in: id)
    #expect(run().code == 0)
  }

  @Test("The content of a completed upload is checked before and after its file is renamed to its digest")
  func arrived() async throws {
    let id = UUID(uuid: (0xAA, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3))
    let told = { (log: inout MadeLog) in
      log.upload(id, file: Self.arrived, content: (Self.digest, 16))
      log.attachment(id, digest: nil, size: 16, offset: 16)
    }
    #expect(try await faults(told).isEmpty)
    let other = { (log: inout MadeLog) in
      log.upload(id, file: Self.arriving, content: (Self.otherDigest, 6))
      log.attachment(id, digest: nil, size: 6, offset: 6)
    }
    let found = try await faults(other)
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "uploads/\(Self.arriving): attachment \(id) has the SHA-256 \(Self.otherDigest), but the file's SHA-256 is "
      )
        == true)
  }

  @Test("`verify` reports no fault if the file of a removed attachment is missing")
  func removedAttachment() async throws {
    let removed = try await faults { log in
      let id = UUID(uuid: (0xAA, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3))
      log.attachment(id, digest: Self.otherDigest, size: 1, offset: 1)
      log.run(MadeEntry(0, "attachment", [], .remove, key: EntryKey(id), flags: [.reliable, .system]))
    }
    #expect(removed.isEmpty)
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let words: String
    let add: @Sendable (inout MadeLog) -> Void
    var testDescription: String { words }
  }

  @Test(
    "A record with a valid checksum but invalid content is reported with its offset",
    arguments: [
      Wrong(words: "A record of kind session belongs to another session.") { log in
        log.add(MadeLog("Another00000000000000A").records[0])
      },
      Wrong(words: "A record of kind closed is not a JSON object.") { log in
        log.add(SessionRecord(kind: .closed, body: [1]))
      },
      Wrong(words: "A record of kind numbers has 1 bytes too many.") { log in
        log.add(SessionRecord(kind: .numbers, body: [0, 0, 0, 1, 0]))
      },
      Wrong(words: "A record of kind used needs 8 bytes, but has 1.") { log in
        log.add(SessionRecord(kind: .used, body: [0]))
      },
      Wrong(words: "A record of kind run needs 4 bytes, but has 3.") { log in
        log.add(SessionRecord(kind: .run, body: [0, 0, 0]))
      },
      Wrong(words: "A record of kind base needs 8 bytes, but has 0.") { log in
        log.add(SessionRecord(kind: .base, body: []))
      },
      // The sender of the entry has a participant number that was never assigned.
      Wrong(words: "an entry is from participant 5000, but the highest participant number is 4096") { log in
        log.run(MadeEntry(5000, "who?"))
      },
      Wrong(words: "A record of kind run has sequence 4 after 4.") { log in
        log.goBack(to: 4)
        log.run(MadeEntry(1, "a"))
        let once = log.takeLast().body
        log.add(SessionRecord(kind: .run, body: once + once))
      },
      Wrong(
        words:
          "A record of kind run has an entry with the flags 64, which a session never writes in a record "
          + "of this kind."
      ) { log in
        log.run(MadeEntry(1, "", flags: .reserved))
      },
      Wrong(
        words: "A record of kind run has a targeted frame that does not consist of exactly one targeted "
          + "entry, or whose targets are not in rising order."
      ) { log in log.run(MadeEntry(1, "a"), MadeEntry(1, "b"), targets: [1]) },
      Wrong(
        words: "A record of kind run has a targeted frame that does not consist of exactly one targeted "
          + "entry, or whose targets are not in rising order."
      ) { log in log.run(MadeEntry(1, "a", .append, key: 1), targets: [1]) },
      Wrong(words: "A record of kind base follows entries that it must precede.") { log in
        log.base(through: 9, [])
      },
      Wrong(words: "A record of kind participant has a wrong or missing member \"id\".") { log in
        let other = Participant(id: UUID(), number: 1, name: "Eve", color: "#123456")
        let facts = ParticipantRecord(participant: other, digest: nil, acknowledged: 0, presence: .past)
        log.add(facts.encoded)
      },
      Wrong(words: "A record of kind run has an attachment with a wrong member \"id\".") { log in
        log.run(
          MadeEntry(
            0, "attachment", Array("{}".utf8), .replace, key: EntryKey(high: 1, low: 1),
            flags: [.reliable, .system]))
      },
    ])
  func wrongRecords(_ wrong: Wrong) async throws {
    let bytes = try folder.bytes("log", of: id).count
    #expect(try await faults(wrong.add) == ["log, byte \(bytes): \(wrong.words)"])
    // The records after the invalid record are checked too.
    let both = try await faults { log in
      wrong.add(&log)
      log.add(SessionRecord(kind: .end, body: []))
    }
    #expect(both.count == 2)
  }

  @Test("`verify` reports a fault for a session whose log is missing, or has an invalid beginning")
  func noLog() throws {
    try folder.put([], as: "log", of: id)
    #expect(run().output.contains("Verify… log, byte 0: the last record is incomplete (0 bytes)\n"))
    try folder.put(Array("something else, and long enough for a record".utf8), as: "log", of: id)
    #expect(run().output.contains("Verify… log, byte 0: the file is not a log, or its beginning is damaged"))
    try FileManager.default.removeItem(atPath: folder.file("log", of: id))
    let run = run()
    #expect(run.code == 1)
    #expect(run.output.contains("Verify… log, byte 0: cannot open the log of a session"))
  }

  @Test(
    "`verify` waits for a record that is being written, and reports a fault only if the record stays incomplete"
  )
  func beingWritten() throws {
    let bytes = try folder.bytes("log", of: id)
    let sessions = try folder.opened()
    var waits = 0
    try folder.put(bytes.dropLast(9), as: "log", of: id)
    let written = try SteadyCheck(id, in: sessions) {
      waits += 1
      // Whenever the check waits, three more bytes of the record are written, as on a slow disk.
      try? folder.put(bytes.dropLast(9 - 3 * waits), as: "log", of: id)  // An error appears as a fault.
    }
    #expect(waits == 3)
    #expect(written.last?.faults.isEmpty == true)
    waits = 0
    try folder.put(bytes.dropLast(9), as: "log", of: id)
    let torn = try SteadyCheck(id, in: sessions) { waits += 1 }
    #expect(waits == 1)
    #expect(torn.last?.faults.count == 1)
  }

  @Test("`verify` reports no fault for a session that is removed during the check")
  func removedSession() async throws {
    let sessions = try folder.opened()
    try await folder.store.remove(id)
    #expect(try SteadyCheck(id, in: sessions) {}.last == nil)
  }
}
