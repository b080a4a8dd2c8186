import FoundationEssentials
import Storage
import Testing
import Platform
import Wire

@testable import SessionCore
@testable import drawtogether

/// The output of `export`.
@Suite("The command `drawtogether export`")
struct ExportTests {
  private static let key = #""key":"00000000-0000-0000-0000-000000000001""#

  /// Returns the log of a session with strokes under two keys, a targeted text, bytes, and an entry without an effect. The
  /// entries of one of the keys were removed.
  private func drawn() -> MadeLog {
    var log = MadeLog("Export000000000000000A", title: "A picture")
    log.person(1, "Ada")
    log.run(MadeEntry(0, "participants", Array(#"{"joined":[]}"#.utf8), flags: [.reliable, .system]))
    log.run(
      MadeEntry(1, #"{"x":1}"#, .replace, key: 1),
      MadeEntry(1, "{\n  \"x\": [1,\r\n 2]\n}", .append, key: 1))
    log.person(2, "Ben \"B\"")
    log.run(MadeEntry(2, "only you"), targets: [1, 2])
    log.run(
      MadeEntry(2, "Bytes", [0, 255, 16], .append, key: EntryKey(high: 0, low: 2)),
      MadeEntry(1, "7", .append, key: 9, flags: [.reliable, .existing]),
      MadeEntry(1, "", .remove, key: 2),
      MadeEntry(1, #""sealed""#, .none, flags: [.reliable, .sealed]))
    return log
  }

  private let lines = [
    #"{"session":"Export…","activity":{"identifier":"drawtogether","title":"A picture","type":"generic"},"#
      + #""createdAt":"2023-11-14T22:13:20Z","state":"open","sequence":8,"people":2,"entries":8,"keys":1}"#,
    #"{"sequence":1,"sender":{"number":0},"type":"participants","system":true,"payload":{"joined":[]}}"#,
    #"{"sequence":2,"sender":{"number":1,"name":"Ada"},"clientSequence":2,"type":"Mark",\#(key),"#
      + #""retention":"replace","payload":{"x":1}}"#,
    #"{"sequence":3,"sender":{"number":1,"name":"Ada"},"clientSequence":3,"type":"Mark",\#(key),"#
      + #""retention":"append","payload":{   "x": [1,   2] }}"#,
    #"{"sequence":4,"sender":{"number":2,"name":"Ben \"B\""},"clientSequence":4,"type":"Mark","#
      + #""targets":[1,2],"payloadBase64":"b25seSB5b3U="}"#,
    #"{"sequence":5,"sender":{"number":2,"name":"Ben \"B\""},"clientSequence":5,"type":"Bytes","#
      + #""key":"00000000-0000-0000-0000-000000000002","retention":"append","payloadBase64":"AP8Q"}"#,
    #"{"sequence":6,"sender":{"number":1,"name":"Ada"},"clientSequence":6,"type":"Mark","#
      + #""key":"00000000-0000-0000-0000-000000000009","retention":"append","changedNothing":true,"payload":7}"#,
    #"{"sequence":7,"sender":{"number":1,"name":"Ada"},"clientSequence":7,"type":"Mark","#
      + #""key":"00000000-0000-0000-0000-000000000002","retention":"remove"}"#,
    #"{"sequence":8,"sender":{"number":1,"name":"Ada"},"clientSequence":8,"type":"Mark","sealed":true,"#
      + #""payload":"sealed"}"#,
  ]

  @Test("The first line of an export describes the session, and each further line describes one entry")
  func all() async throws {
    let folder = try KeptFolder()
    try await folder.make(drawn())
    let run = CommandRun(["export", "Exp", "--data", folder.path])
    #expect(run.code == 0)
    #expect(run.errors.isEmpty)
    #expect(run.lines == lines)
  }

  @Test("`export --state` prints only the retained entries")
  func state() async throws {
    let folder = try KeptFolder()
    try await folder.make(drawn())
    let run = CommandRun(["export", "Export…", "--state", "--data", folder.path])
    #expect(run.code == 0)
    #expect(run.lines == [lines[0], lines[2], lines[3]])
  }

  @Test("The retained entries of a key begin with the last replace, or the first append after a remove")
  func retained() async throws {
    var log = MadeLog("Export000000000000000A")
    log.person(1, "Ada")
    log.run(
      MadeEntry(1, "1", .append, key: 1), MadeEntry(1, "2", .replace, key: 1),
      MadeEntry(1, "3", .append, key: 1), MadeEntry(1, "", .remove, key: 1),
      MadeEntry(1, "5", .append, key: 1), MadeEntry(1, "6", .append, key: 1),
      MadeEntry(1, "7", .replace, key: 2), MadeEntry(1, "8", .replace, key: 2),
      MadeEntry(0, "9", .replace, key: 1, flags: [.reliable, .system]),
      MadeEntry(0, "", .remove, key: 2, flags: [.reliable, .system]))
    let folder = try KeptFolder()
    try await folder.make(log)
    let run = CommandRun(["export", "E", "--state", "--data", folder.path])
    #expect(run.lines.dropFirst().map { Self.sequence($0) } == [5, 6, 8, 9])
  }

  private static func sequence(_ line: String) -> Int? {
    line.split(separator: ",").first?.split(separator: ":").last.flatMap { Int($0) }
  }

  @Test(
    "If a log contains an entry twice after a compaction, `export` prints the entry once",
    arguments: [[], ["--state"]])
  func compacted(_ flags: [String]) async throws {
    var log = MadeLog("Export000000000000000A")
    log.person(1, "Ada")
    log.base(through: 6, [(2, MadeEntry(1, "2", .replace, key: 1))])
    log.base(through: 6, [(5, MadeEntry(1, "5", .replace, key: 2))])
    log.goBack(to: 4)
    log.run(
      MadeEntry(1, "4", .append, key: 3), MadeEntry(1, "5", .replace, key: 2),
      MadeEntry(1, "", .remove, key: 3))
    log.run(MadeEntry(1, "7", .append, key: 4), MadeEntry(1, "8", .append, key: 1))
    let folder = try KeptFolder()
    try await folder.make(log)
    let run = CommandRun(["export", "E", "--data", folder.path] + flags)
    #expect(run.code == 0)
    #expect(run.lines.dropFirst().map { Self.sequence($0) } == [2, 5, 7, 8])
  }

  @Test("A prefix of a session id that matches no session, or several sessions, is an error")
  func prefixes() async throws {
    let folder = try KeptFolder()
    for id in ["Export000000000000000A", "Export0A0000000000000A", "Exp000000000000000000A"] {
      try await folder.make(MadeLog(id))
    }
    func errors(_ prefix: String) -> String {
      let run = CommandRun(["export", prefix, "--data", folder.path])
      #expect(run.code == 1)
      #expect(run.output.isEmpty)
      return run.errors
    }
    #expect(errors("Z") == "drawtogether: no session in \(folder.path) begins with Z\n")
    #expect(
      errors("Export")
        == "drawtogether: 2 sessions begin with Export (Export00…, Export0A…): write more of the id\n")
    #expect(
      errors("Exp")
        == "drawtogether: 3 sessions begin with Exp (Exp00000…, Export00…, Export0A…): write more of the id\n"
    )
    #expect(CommandRun(["export", "Export0A", "--data", folder.path]).code == 0)
  }

  @Test("`export` prints the entries before the damage in a log, and exits with 1")
  func damaged() async throws {
    let folder = try KeptFolder()
    let log = drawn()
    try await folder.make(log)
    let bytes = try folder.bytes("log", of: log.id)
    try folder.put(bytes.dropLast(3), as: "log", of: log.id)
    let run = CommandRun(["export", "E", "--data", folder.path])
    #expect(run.code == 1)
    #expect(run.lines.dropFirst() == lines[1...4])
    #expect(
      run.errors
        == "drawtogether: session Export…: the last record is incomplete: the export ends before the damage\n"
    )
  }

  @Test("If the output goes to a full disk, `export` exits with 1 and prints the reason")
  func fullOutput() async throws {
    let folder = try KeptFolder()
    try await folder.make(drawn())
    let child = try ChildProcess(arguments: ["export", "E", "--data", folder.path], output: "/dev/full")
    #expect(
      child.errorLine()
        == "drawtogether: the output cannot be written (write: No space left on device)")
    #expect(child.end() == 1)
  }
}
