import FoundationEssentials
import Gateway
import Glibc
import Storage
import Testing
import Platform
import Wire

@testable import SessionCore
@testable import drawtogether

/// The effects of `restore`.
@Suite("The command `drawtogether restore`")
struct RestoreTests {
  private let folder: KeptFolder

  init() throws {
    folder = try KeptFolder()
  }

  private func run(_ prefix: String) -> CommandRun {
    CommandRun(["restore", prefix, "--data", folder.path])
  }

  private func ended(_ id: String = "Restore00000000000000A") -> MadeLog {
    var log = MadeLog(id)
    log.person(1, "Ada")
    log.run(MadeEntry(1, "one", .append, key: 1))
    log.end()
    return log
  }

  @Test("Restoring an ended session appends one record to its log, and does not change the earlier records")
  func restores() async throws {
    let log = ended()
    try await folder.make(log)
    let before = try folder.bytes("log", of: log.id)
    let run = run("Res")
    #expect(run.code == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output == "session Restor… is restored: its link works again\n")
    #expect(try folder.bytes("log", of: log.id).starts(with: before))
    let last = try #require(try folder.store.lastRecord(of: log.id))
    #expect(last.kind == 10)
    #expect(try RestoredRecord(last.body.span).at.timeIntervalSinceNow > -600)
    #expect(CommandRun(["verify", "--data", folder.path]).code == 0)
    let row = try #require(try SessionList(of: try folder.opened()).rows.first)
    guard case .closed = row.state else {
      Issue.record("the state is \(String(describing: row.state))")
      return
    }
  }

  @Test(
    "Restoring a session that has not ended, or was restored already, is an error and does not change its log"
  )
  func notEnded() async throws {
    var log = ended()
    try await folder.make(log)
    #expect(run("Res").code == 0)
    log = MadeLog("Open00000000000000000A")
    try await folder.make(log)
    for (prefix, shown) in [("Res", "Restor…"), ("Open", "Open00…")] {
      let id = try folder.opened().one(try #require(SessionPrefix(prefix)))
      let before = try folder.bytes("log", of: id)
      let run = run(prefix)
      #expect(run.code == 1)
      #expect(run.output.isEmpty)
      #expect(run.errors == "drawtogether: session \(shown) has not ended: there is nothing to restore\n")
      #expect(try folder.bytes("log", of: id) == before)
    }
  }

  @Test("`restore` reports an error if no session begins with the given prefix, or several sessions do")
  func notFound() async throws {
    #expect(
      run("Res").errors
        == "drawtogether: there is no folder Res, and no session in \(folder.path) begins with Res\n")
    #expect(run("Res…").errors == "drawtogether: no session in \(folder.path) begins with Res\n")
    try await folder.make(ended())
    try await folder.make(ended("Res000000000000000000A"))
    #expect(
      run("Res").errors
        == "drawtogether: 2 sessions begin with Res (Res000…, Restor…): write more of the id\n")
    let sessions = try folder.opened()
    let id = try #require(SessionID("Restore00000000000000A"))
    try await folder.store.remove(id)
    let error = #expect(throws: CommandError.self) { try sessions.restore(id) }
    #expect(error == .gone(id))
    #expect(error?.description == "session Restor… has expired and was removed")
  }

  @Test("Restoring a session with a damaged log fails and does not change the log")
  func damaged() async throws {
    let log = ended()
    try await folder.make(log)
    let bytes = try folder.bytes("log", of: log.id)
    try folder.put(bytes.dropLast(1), as: "log", of: log.id)
    let run = run("Res")
    #expect(run.code == 1)
    #expect(run.errors.hasPrefix("drawtogether: session Restor…: "))
    #expect(try folder.bytes("log", of: log.id) == bytes.dropLast(1))
  }

  @Test("A restore fails without writing while another process has locked the log of the session")
  func locked() async throws {
    let log = ended()
    try await folder.make(log)
    let before = try folder.bytes("log", of: log.id)
    let other = OwnedDescriptor(owning: unsafe open(folder.file("log", of: log.id), O_RDWR | O_CLOEXEC))
    #expect(flock(other.rawValue, LOCK_EX) == 0)
    let run = run("Res")
    _ = consume other
    #expect(run.code == 1)
    #expect(run.errors == "drawtogether: session Restor… is being restored by another process\n")
    #expect(try folder.bytes("log", of: log.id) == before)
    #expect(self.run("Res").code == 0)
  }
}
