import FoundationEssentials
import Platform
import Primitives
import Storage
import Testing
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// Sessions with `--durability memory`.
  @Suite("Sessions that are stored in memory only")
  struct MemoryDurabilityTests {
    @Test(
      "With `--durability memory`, no entries are on disk or in the store, and the end of a session removes its attachments"
    )
    func ends() async throws {
      let gateway = try RunningGateway { $0.durability = .memory }
      let shared = gateway.gateway.shared
      let disk = FolderDisk(shared.data)
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      try member.send(member.entry([1], retention: .append))
      try member.readUntilCommitted()
      #expect(try disk.sessions() == [])
      #expect(try shared.store.byteCount(of: session) == 0, "the store has no second copy of the entries")
      #expect(try JournalClient(gateway, session).add(UUID(), [1, 2]).status == 201)
      #expect(try disk.sessions() == [session])
      #expect(gateway.gateway.dataFolderUsage(within: .seconds(1)).sessions == nil)
      #expect(shared.status(now: .now()).stored == nil)
      #expect(try gateway.end(session, try #require(member.joined?.token)) == 204)
      #expect(try gateway.status(of: session) == 410)
      try await gateway.wait(for: "an empty folder") {
        try disk.sessions().isEmpty && shared.store.sessions().isEmpty
      }
      #expect(try gateway.status(of: SessionID(high: 1, low: 2)) == 404)
    }

    @Test(
      "With `--durability memory`, a session is not unloaded, and it expires together with its attachments")
    func expires() async throws {
      let gateway = try RunningGateway {
        $0.durability = .memory
        $0.limits.graceSeconds = 0
        $0.limits.sessionIdleSeconds = 0
        // The participant must join the new session within this time.
        $0.limits.sessionKeepSeconds = TestTimeout.briefSeconds
      }
      let shared = gateway.gateway.shared
      let disk = FolderDisk(shared.data)
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      try member.send(member.entry([1], retention: .append))
      #expect(try JournalClient(gateway, session).add(UUID(), [1, 2]).status == 201)
      member.cut()
      try await gateway.wait(for: "an empty folder") {
        try disk.sessions().isEmpty && shared.store.sessions().isEmpty
      }
      #expect(try gateway.status(of: session) == 410)
    }

    @Test(
      "A run with `--durability memory` leaves the stored sessions and the file that marks their clean stop unchanged"
    )
    func keepsStoredSessions() async throws {
      var gateway = try RunningGateway()
      let stored = try gateway.makeSession()
      gateway = try gateway.restart(.drained) { $0.durability = .memory }
      let mark = gateway.folder + "/data/clean"
      let content = try #require(FileManager.default.contents(atPath: mark))
      #expect(try gateway.status(of: stored) == 404)
      let session = try gateway.makeSession()
      #expect(try JournalClient(gateway, session).add(UUID(), [1, 2]).status == 201)
      gateway = try gateway.restart(.drained) { $0.durability = .memory }
      #expect(FileManager.default.contents(atPath: mark) == content)
      #expect(try gateway.status(of: session) == 404)
      #expect(try FolderDisk(gateway.gateway.shared.data).sessions() == [stored])
      gateway = try gateway.restart(.cut) { $0.durability = .process }
      #expect(try gateway.status(of: stored) == 200)
    }
  }
}
