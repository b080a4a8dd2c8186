import FoundationEssentials
import Testing
import Platform
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// Sessions that continue after their gateway is restarted.
  @Suite("After a restart of the gateway, its sessions continue")
  struct RestartTests {
    /// Lets participants join a new session and draw, and waits until all their entries are committed.
    private static func drawn(
      on gateway: RunningGateway, people: Int = 4
    ) throws -> (session: SessionID, members: [ParticipantClient]) {
      let session = try gateway.makeSession()
      let members = try (0..<people).map { try ParticipantClient(gateway, session, isSecure: $0 == 1).join() }
      for round in 0..<10 {
        for (index, member) in members.enumerated() {
          let key = EntryKey(high: UInt64(index), low: UInt64(round % 3))
          try member.send(
            member.entry([UInt8(round)], retention: round % 3 == 0 ? .replace : .append, key: key),
            member.entry([UInt8(round), 1], targets: [members[0].number]))
        }
      }
      for member in members {
        try member.read(until: "all its entries are committed") {
          $0.committed >= ($0.received.last { $0.sender == member.number }?.sequence ?? .max)
            && $0.received.last { $0.sender == member.number }?.clientSequence == 20
        }
      }
      return (session, members)
    }

    @Test(
      "P4: committed entries survive a clean stop and a kill of the process",
      arguments: [RunningGateway.End.cut, .drained], [1, 2])
    func committed(_ end: RunningGateway.End, reactors: Int) throws {
      var gateway = try RunningGateway(reactors: reactors)
      let (session, members) = try Self.drawn(on: gateway)
      let epoch = try #require(members[0].joined?.epoch)
      for member in members { member.cut() }
      gateway = try gateway.restart(end)
      for member in members {
        let before = try #require(member.joined)
        let state = member.state.held
        member.gateway = gateway
        try member.join()
        let after = try #require(member.joined)
        #expect(after.resumed)
        #expect(after.participant.id == before.participant.id)
        #expect(after.participant.number == before.participant.number)
        #expect(after.acknowledged == 20)
        #expect((after.epoch == epoch) == (end == .drained))
        #expect(member.catchUps.last == .tail)
        #expect(member.state.held == state)
      }
      let newcomer = try ParticipantClient(gateway, session).join()
      #expect(newcomer.state.held == members[0].state.held)
      #expect(!members.map(\.number).contains(newcomer.number))
      #expect(newcomer.state.participants == Set(members.map(\.number) + [newcomer.number]))
    }

    @Test(
      "P2: after a kill, uncommitted entries are sent again, and the session contains each of them once",
      arguments: 0..<10)
    func resent(round: Int) throws {
      var gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      let key = EntryKey(high: 1, low: 1)
      // When the first entry is committed, the participant's record is on the disk too.
      try member.send(member.entry([]))
      try member.read(until: "its first entry is committed") {
        $0.committed >= ($0.received.last?.sequence ?? .max) && !$0.received.isEmpty
          && $0.received.last?.clientSequence == 1
      }
      for index in 0..<100 { try member.send(member.entry([UInt8(index)], retention: .append, key: key)) }
      // The gateway is killed after some of the 100 entries have arrived.
      try member.read(until: "the first entries") { $0.received.count { $0.type == "Test" } > 10 * round }
      member.cut()
      gateway = try gateway.restart(.cut)
      member.gateway = gateway
      try member.join()
      try member.read(until: "all entries") { $0.state.held[key]?.count == 100 }
      #expect(member.state.held[key] == (0..<100).map { [UInt8($0)] })
    }

    @Test("P7: no participant number is assigned twice, even after restarts")
    func numbers() throws {
      var gateway = try RunningGateway()
      let session = try gateway.makeSession()
      var numbers: Set<ParticipantNumber> = []
      for end in [RunningGateway.End.cut, .drained, .cut, .cut] {
        let members = try (0..<3).map { _ in try ParticipantClient(gateway, session).join() }
        for member in members {
          #expect(numbers.insert(member.number).inserted, "\(member.number) was assigned twice")
        }
        for member in members { member.cut() }
        gateway = try gateway.restart(end)
      }
    }

    @Test("Simultaneous requests for a session load it only once")
    func oneLoad() throws {
      var gateway = try RunningGateway(reactors: 2)
      let (session, members) = try Self.drawn(on: gateway)
      for member in members { member.cut() }
      gateway = try gateway.restart(.drained)
      let sockets = try (0..<50).map { _ in
        let client = ParticipantClient(gateway, session)
        let socket = try WebSocketClient(gateway, session: session, isSecure: false)
        try socket.send(.text, client.joinMessage())
        return (client, socket)
      }
      for (client, socket) in sockets {
        try client.begin(on: socket)
        #expect(client.state.held == members[0].state.held)
      }
      let metrics = try Metrics(of: gateway)
      // A reactor may publish its counters later than it answers the clients.
      try metrics.wait(for: "the count of the load") { ($0["sessions_opened_total"] ?? 0) > 0 }
      #expect(try metrics.value("sessions_opened_total") == 1)
    }

    @Test("A session without participants is unloaded, and continues when a participant joins")
    func putAway() throws {
      let gateway = try RunningGateway {
        $0.limits.graceSeconds = 0
        $0.limits.sessionIdleSeconds = 0
      }
      let (session, members) = try Self.drawn(on: gateway)
      let metrics = try Metrics(of: gateway)
      for member in members { member.cut() }
      try metrics.wait(for: "no session in memory") { $0["sessions"] == 0 }
      for member in members {
        try member.join()
        #expect(member.joined?.resumed == true)
        #expect(member.catchUps.last == .tail)
      }
      let newcomer = try ParticipantClient(gateway, session).join()
      #expect(newcomer.state.held == members[0].state.held)
      #expect(newcomer.number == ParticipantNumber(members.count + 1))
    }

    @Test(
      "An ended session stays ended, and its attachments can be read",
      arguments: RunningGateway.End.allCases)
    func ended(_ end: RunningGateway.End) throws {
      var gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      let journal = try JournalClient(gateway, session)
      let attachment = UUID()
      #expect(try journal.add(attachment, [1, 2, 3]).status == 201)
      let token = try #require(member.joined?.token.text)
      let http = try HTTPClient(gateway)
      #expect(
        try http.ask("DELETE", "/api/sessions/\(session.text)", ["Participant-Token": token]).status == 204)
      try member.read(until: "the end") { $0.closed == 4010 }
      #expect(try journal.read(attachment).body == [1, 2, 3])
      gateway = try gateway.restart(end)
      let late = try HTTPClient(gateway)
      #expect(try late.ask("GET", "/api/sessions/\(session.text)").status == 410)
      let reader = try JournalClient(gateway, session)
      #expect(try reader.read(attachment).body == [1, 2, 3])
      #expect(try reader.remove(attachment) == 410)
      let socket = try WebSocketClient(gateway, session: session, isSecure: false)
      #expect(try socket.readClose() == 4010)
    }

    @Test(
      "A session whose id was sent to a client survives a clean stop and a kill of the process",
      arguments: RunningGateway.End.allCases)
    func created(_ end: RunningGateway.End) throws {
      var gateway = try RunningGateway()
      let session = try gateway.makeSession()
      gateway = try gateway.restart(end)
      #expect(try HTTPClient(gateway).ask("GET", "/api/sessions/\(session.text)").status == 200)
    }

    @Test(
      "If another gateway uses the data folder, the error has the id of the process that has locked the folder"
    )
    func secondGateway() throws {
      let gateway = try RunningGateway()
      #expect {
        _ = try RunningGateway(in: gateway.folder)
      } throws: { error in
        "\(error)".contains("is in use by process \(ProcessInfo.processInfo.processIdentifier)")
      }
    }
  }
}
