import FoundationEssentials
import Glibc
import SessionCore
import Testing
import Platform
import Primitives
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// The drain of a gateway with many clients.
  @Suite("A drain saves all entries before it asks clients to reconnect")
  struct DrainTests {
    @Test("All entries are on the disk before any client is asked to reconnect", arguments: [1, 2])
    func many(reactors: Int) throws {
      var gateway = try RunningGateway(reactors: reactors)
      let sessions = try (0..<20).map { _ in try gateway.makeSession() }
      let members = try (0..<300).map { index in
        let member = ParticipantClient(gateway, sessions[index % sessions.count], isSecure: index % 50 == 0)
        member.followsParticipants = false
        return try member.join()
      }
      for (index, member) in members.enumerated() {
        try member.send(
          member.entry([UInt8(index & 255), UInt8(index >> 8)], retention: .append),
          member.entry([UInt8(index & 255)], retention: .replace, key: EntryKey(high: 1, low: 1)))
      }
      // When each member has received its own entries, the session has assigned a sequence to all entries.
      for member in members { try member.read(until: "its own last entry") { $0.isCurrent } }
      let before = MonotonicTime.now()
      gateway.gateway.drain()
      for member in members {
        try member.read(until: "the close") { $0.closed == 1012 }
        // The gateway does not wait for slow clients, so it may have closed the connection.
        try? member.socket?.send(.close, [0x03, 0xf4])
        member.cut()
      }
      gateway.gateway.waitUntilStopped()
      #expect(.now() - before < .seconds(8))
      #expect(FileManager.default.fileExists(atPath: gateway.folder + "/data/clean"))
      let epochs = members.compactMap { $0.joined?.epoch }
      gateway = try gateway.restart(.drained)
      for (index, member) in members.enumerated() where index % 10 < 2 {
        member.gateway = gateway
        let state = member.state.held
        try member.join()
        #expect(member.joined?.epoch == epochs[index])
        #expect(member.catchUps.last == .tail)
        #expect(member.joined?.acknowledged == 2)
        #expect(member.state.held[.zero]?.count == 15)
        #expect(state[.zero]?.count ?? 0 <= 15)
      }
    }

    @Test(
      "After a stop with unsaved entries there is no mark of a clean stop, so sessions continue in a new epoch"
    )
    func unclean() throws {
      let disk = TroubledDisk()
      var gateway = try RunningGateway(disk: disk)
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      try member.send(member.entry([0], retention: .append))
      try member.readUntilCommitted()
      let epoch = try #require(member.joined?.epoch)
      disk.fail(with: ENOSPC) { $0.session == session }
      try member.send(member.entry([1], retention: .append))
      try member.read(until: "its own last entry") { $0.isCurrent }
      gateway.gateway.drain()
      try member.read(until: "the close") { $0.closed == 1012 }
      #expect(!member.hasAllCommitted)
      member.cut()
      gateway.gateway.waitUntilStopped()
      #expect(!FileManager.default.fileExists(atPath: gateway.folder + "/data/clean"))
      gateway = try gateway.restart(.drained)
      member.gateway = gateway
      try member.join()
      #expect(member.joined?.epoch != epoch)
      #expect(member.joined?.acknowledged == 1)
      try member.readUntilCommitted()
      #expect(member.state.held[.zero] == [[0], [1]])
    }
  }
}

/// The progress of a drain, which all reactors share.
@Suite("During a drain, no reactor finishes before all reactors are ready")
struct DrainProgressTests {
  @Test(
    "No reactor finishes a drain before all are ready; the last one to finish learns if all stopped cleanly"
  )
  func progress() {
    let progress = DrainProgress(reactors: 2)
    #expect(!progress.reportReady())
    #expect(!progress.areAllReadyToFinish)
    #expect(progress.reportReady())
    #expect(progress.areAllReadyToFinish)
    let other = DrainProgress(reactors: 2)
    #expect(progress.reportFinished(isClean: true) == nil)
    #expect(progress.reportFinished(isClean: true) == true)
    #expect(other.reportFinished(isClean: false) == nil)
    #expect(other.reportFinished(isClean: true) == false)
  }
}
