import FoundationEssentials
import Storage
import Testing
import Wire

@testable import SessionCore
@testable import drawtogether

/// Tests of the output of `drawtogether sessions`.
@Suite("The command `drawtogether sessions`")
struct SessionListTests {
  private static let closed = "Closed000000000000000A"
  private static let open = "Open-0000000000000000A"
  private static let ended = "Ended0000000000000000A"

  /// Three sessions: a closed one with three participants, one in use with one participant, and an ended one with a file.
  private func folder() async throws -> KeptFolder {
    let folder = try KeptFolder()
    var log = MadeLog(Self.closed)
    log.run(MadeEntry(0, "{}"))
    log.close(people: 3)
    try await folder.make(log)
    log = MadeLog(Self.open, title: "In use")
    log.person(1, "Ada")
    log.run(MadeEntry(1, "{}"))
    try await folder.make(log)
    log = MadeLog(Self.ended, title: "Over")
    log.close()
    log.end(by: 7)
    try await folder.make(log)
    _ = try folder.place("bytes", in: log.id)
    return folder
  }

  @Test("Every session is listed with its state")
  func rows() async throws {
    let folder = try await folder()
    let list = try SessionList(of: try folder.opened())
    #expect(list.faults.isEmpty)
    let rows = list.rows.sorted { $0.id.text < $1.id.text }
    #expect(rows.map(\.id.text) == [Self.closed, Self.ended, Self.open])
    #expect(rows.map(\.title) == ["As closed", "Over", "In use"])
    #expect(rows.map(\.people) == [3, 0, 1])
    #expect(rows.map(\.createdAt) == [MadeLog.day, MadeLog.day, MadeLog.day])
    #expect(
      rows.map(\.state) == [.closed(MadeLog.day + 60), .ended(MadeLog.day + 120, by: 7), .open])
    #expect(rows.map(\.files) == [0, 1, 0])
    #expect(rows.map(\.fileBytes) == [0, 5, 0])
    for row in rows { #expect(row.logBytes == UInt64(try folder.bytes("log", of: row.id).count)) }
    let newestFirst = zip(list.rows, list.rows.dropFirst()).allSatisfy { $0.changedAt >= $1.changedAt }
    #expect(newestFirst)
  }

  @Test("Sessions are printed as a table with aligned columns, or as lines of JSON")
  func shown() throws {
    let id = try #require(SessionID(Self.ended))
    let rows = [
      SessionRow(
        id: id, title: "Cats & \"dogs\"", createdAt: MadeLog.day, people: 12,
        state: .ended(MadeLog.day + 60, by: 7), changedAt: MadeLog.day + 61, logBytes: 1_536, files: 2,
        fileBytes: 5_000_000),
      // Terminal controls are removed from titles.
      SessionRow(
        id: id, title: "\u{1B}[2Jn\n\u{202E}", createdAt: MadeLog.day, people: 0, state: .open,
        changedAt: MadeLog.day, logBytes: 17, files: 0, fileBytes: 0),
      SessionRow(id: id, changedAt: MadeLog.day, logBytes: 1_073_741_824, files: 0, fileBytes: 0),
    ]
    #expect(
      SessionRow.table(rows, now: MadeLog.day + 3 * 86_400) == """
        SESSION  AGE  PEOPLE  LOG      FILES       STATE          TITLE
        Ended0…  3 d  12      1.5 KiB  2, 4.8 MiB  ended 2 d ago  Cats & "dogs"
        Ended0…  3 d  0       17 B     –           open           [2Jn
        Ended0…  –    –       1.0 GiB  –           unreadable     –

        """)
    #expect(
      rows.map { String(decoding: $0.json, as: UTF8.self) } == [
        #"{"session":"Ended0…","title":"Cats & \"dogs\"","createdAt":"2023-11-14T22:13:20Z","#
          + #""changedAt":"2023-11-14T22:14:21Z","people":12,"logBytes":1536,"files":2,"fileBytes":5000000,"#
          + #""state":"ended","endedAt":"2023-11-14T22:14:20Z","endedBy":7}"# + "\n",
        #"{"session":"Ended0…","title":"\u001b[2Jn\n"# + "\u{202E}"
          + #"","createdAt":"2023-11-14T22:13:20Z","changedAt":"2023-11-14T22:13:20Z","people":0,"#
          + #""logBytes":17,"files":0,"fileBytes":0,"state":"open"}"# + "\n",
        #"{"session":"Ended0…","changedAt":"2023-11-14T22:13:20Z","logBytes":1073741824,"files":0,"#
          + #""fileBytes":0,"state":"unreadable"}"# + "\n",
      ])
  }

  @Test(
    "`drawtogether sessions` prints a table, or lines of JSON with `--json`; the output contains no complete session id"
  )
  func command() async throws {
    let folder = try await folder()
    let table = CommandRun(["sessions", "--data", folder.path])
    #expect(table.code == 0)
    #expect(table.errors.isEmpty)
    #expect(table.lines.count == 4)
    #expect(table.lines[0].hasPrefix("SESSION"))
    let lines = CommandRun(["sessions", "--json"], ["DRAWTOGETHER_DATA": folder.path])
    #expect(lines.code == 0)
    #expect(lines.lines.count == 3)
    #expect(lines.lines.allSatisfy { $0.hasPrefix("{\"session\":\"") })
    for id in [Self.closed, Self.open, Self.ended] {
      #expect(!table.output.contains(id))
      #expect(!lines.output.contains(id))
    }
  }

  @Test("An unloaded session is listed by its last record, even if an earlier part of its log is damaged")
  func lastRecordOnly() async throws {
    let folder = try await folder()
    let id = try #require(SessionID(Self.closed))
    var bytes = try folder.bytes("log", of: id)
    bytes[60] ^= 1
    try folder.put(bytes, as: "log", of: id)
    #expect(CommandRun(["sessions", "--data", folder.path]).code == 0)
  }

  @Test("`drawtogether sessions` lists a session with an unreadable log, prints the reason, and exits with 1")
  func unreadable() async throws {
    let folder = try await folder()
    let id = try #require(SessionID(Self.open))
    try folder.put(Array("no log".utf8), as: "log", of: id)
    let run = CommandRun(["sessions", "--data", folder.path])
    #expect(run.code == 1)
    #expect(run.lines.count == 4)
    #expect(run.lines.contains { $0.hasPrefix("Open-0…") && $0.contains("unreadable") })
    #expect(
      run.errors
        == "drawtogether: session Open-0…: the file is not a log, or its beginning is damaged\n")
  }

  @Test("`sessions` and `verify` exit with 2 if the folder is not a data folder")
  func noFolder() throws {
    let run = CommandRun(["sessions", "--data", "/nonexistent/data"])
    #expect(run.code == 2)
    #expect(run.output.isEmpty)
    #expect(
      run.errors
        == "drawtogether: --data: the data folder /nonexistent/data cannot be used (open: No such file or"
        + " directory)\n")
    #expect(CommandRun(["verify", "--data", "/proc"]).code == 2)
  }

  @Test(
    "Sizes and ages are printed in the largest unit in which they are at least 1",
    arguments: [
      (ShownFigures.size(0), "0 B"), (ShownFigures.size(1023), "1023 B"),
      (ShownFigures.size(1024), "1.0 KiB"), (ShownFigures.size(10_189), "10 KiB"),
      (ShownFigures.size(1_048_575), "1.0 MiB"), (ShownFigures.size(150 << 20), "150 MiB"),
      (ShownFigures.size(5 << 40), "5.0 TiB"), (ShownFigures.age(seconds: -5), "0 s"),
      (ShownFigures.age(seconds: 59.9), "59 s"), (ShownFigures.age(seconds: 60), "1 min"),
      (ShownFigures.age(seconds: 86_399), "23 h"), (ShownFigures.age(seconds: 864_000), "10 d"),
      (ShownFigures.age(seconds: .nan), "0 s"),
    ])
  func figures(_ shown: String, _ expected: String) {
    #expect(shown == expected)
  }
}
