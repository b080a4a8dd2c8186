import Testing
import Platform
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// Sections 2 and 3 of PROTOCOL, tested over real sockets.
  @Suite("Delivery of entries over WebSockets")
  struct DeliveryTests {
    @Test(
      "P1: the entries of four senders reach all members in one order, which keeps each sender's order",
      arguments: [1, 2])
    func oneOrder(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors)
      let session = try gateway.makeSession()
      let members = try (0..<4).map { try ParticipantClient(gateway, session, isSecure: $0 % 2 == 1).join() }
      let count = 400
      for index in 0..<count {
        for member in members {
          try member.send(member.entry([UInt8(truncatingIfNeeded: index)]))
        }
      }
      for member in members {
        try member.read(until: "all entries") {
          $0.received.count { $0.type == "Test" } == members.count * count
        }
      }
      let order = members[0].received.filter { $0.type == "Test" }
      for member in members {
        // Members that joined early also received announcements of the later joins, so only the entries of the test are compared.
        #expect(member.received.filter { $0.type == "Test" } == order)
        let own = order.filter { $0.sender == member.number }
        #expect(own.map(\.clientSequence) == Array(1...UInt32(count)))
      }
    }

    @Test(
      "S43: many joins in a short time are announced in order to all members, even if no entries are sent"
    )
    func comings() throws {
      let gateway = try RunningGateway(reactors: 1)
      let session = try gateway.makeSession()
      let first = try ParticipantClient(gateway, session).join()
      let others = try (0..<12).map { _ in try ParticipantClient(gateway, session).join() }
      try first.read(until: "the joins of all others") { Self.joined($0).count >= others.count }
      #expect(Self.joined(first) == others.map(\.number))
      // A delayed announcement of a join comes before the entries of the new participant.
      let last = try ParticipantClient(gateway, session).join()
      try last.send(last.entry([7]))
      try first.read(until: "the entry of the last member") { $0.received.contains { $0.payload == [7] } }
      #expect(Self.joined(first) == others.map(\.number) + [last.number])
    }

    /// Returns the participants whose joins were announced to a member.
    private static func joined(_ member: ParticipantClient) -> [ParticipantNumber] {
      member.received.filter { $0.type == SystemType.participants }.flatMap { entry in
        (try? ParticipantsPayload.decode(entry.payload.span))?.joined.map(\.number) ?? []
      }
    }

    @Test("P7: a targeted entry reaches only its targets and its sender", arguments: [1, 2])
    func targeted(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors)
      let session = try gateway.makeSession()
      let members = try (0..<4).map { _ in try ParticipantClient(gateway, session).join() }
      let sender = members[0]
      try sender.send(
        sender.entry([1]), sender.entry([2], targets: [members[1].number]),
        sender.entry([3], targets: [members[2].number, members[1].number]), sender.entry([4], targets: []),
        sender.entry([5]))
      let expected: [[[UInt8]]] = [
        [[1], [2], [3], [4], [5]], [[1], [2], [3], [5]], [[1], [3], [5]], [[1], [5]],
      ]
      for (member, payloads) in zip(members, expected) {
        try member.read(until: "the last entry") { $0.received.contains { $0.payload == [5] } }
        let got = member.received.filter { $0.type == "Test" }
        #expect(got.map(\.payload) == payloads)
        #expect(got.allSatisfy { $0.flags.contains(.targeted) == [[2], [3], [4]].contains($0.payload) })
      }
      // A participant that is not a target does not get the targeted entries, neither in the tail after a reconnect (`outsider`)
      // nor in the snapshot for a new participant (`late`).
      let outsider = members[3]
      outsider.cut()
      try outsider.join()
      let late = try ParticipantClient(gateway, session).join()
      #expect(outsider.received.filter { $0.type == "Test" }.map(\.payload) == [[1], [5]])
      #expect(late.received.isEmpty && late.state.held.isEmpty)
    }

    @Test(
      "P7: an entry whose target is a number that was never assigned is refused, and uses up its client sequence"
    )
    func unknownTarget() throws {
      let gateway = try RunningGateway()
      let sender = try ParticipantClient(gateway, gateway.makeSession()).join()
      try sender.send(sender.entry([1], targets: [99]), sender.entry([2]))
      try sender.read(until: "the next entry") { $0.received.contains { $0.payload == [2] } }
      #expect(sender.errors.map(\.code) == [.unknownParticipant])
      #expect(sender.errors.first?.clientSequence == 1)
    }

    @Test("PROTOCOL 3: unreliable entries reach the other members; targeted ones reach only their targets")
    func unreliable() throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession()
      let members = try (0..<3).map { _ in try ParticipantClient(gateway, session).join() }
      let sender = members[0]
      try sender.send(
        sender.entry([1], type: "Cursor", isReliable: false),
        sender.entry([2], type: "Cursor", targets: [members[1].number], isReliable: false))
      try members[1].read(until: "both") { $0.unreliable.count == 2 }
      try members[2].read(until: "one") { $0.unreliable.count == 1 }
      #expect(Set(members[1].unreliable.map(\.payload)) == [[1], [2]])
      #expect(members[2].unreliable.map(\.payload) == [[1]])
      #expect(members[2].unreliable.allSatisfy { $0.sequence == 0 && $0.sender == sender.number })
      // When this entry has arrived, no unreliable entry can still be in transit.
      try sender.send(sender.entry([9]))
      try members[2].read(until: "the entry") { $0.received.contains { $0.payload == [9] } }
      #expect(members[2].unreliable.count == 1)
      // A reactor may send the entries before it publishes its counters at the end of the turn. So the test waits for the
      // counters.
      try Metrics(of: gateway).wait(for: "two unreliable entries and one other") {
        $0["unreliable_received_total"] == 2 && $0["entries_received_total"] == 1
      }
    }

    @Test("PROTOCOL 2.2: a member gets `committed` for all its entries")
    func committed() throws {
      let gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let member = try ParticipantClient(gateway, session).join()
      let silent = try ParticipantClient(gateway, session).join()
      try member.send(member.entry([1]), member.entry([2]))
      try member.read(until: "both entries") { $0.received.count { $0.type == "Test" } == 2 }
      let sequence = member.sequence
      try member.read(until: "committed") { $0.committed >= sequence }
      try silent.read(through: sequence)
      #expect(member.committed <= sequence + 1)
    }

    @Test("P3: a snapshot equals the state of the other members", arguments: [1, 2])
    func snapshot(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors)
      let session = try gateway.makeSession()
      let drawer = try ParticipantClient(gateway, session).join()
      for index in 0..<300 {
        let key = EntryKey(high: 7, low: UInt64(index % 40))
        let retention: Retention = [.append, .append, .replace, .remove][index / 40 % 4]
        let payload = retention == .remove ? [] : [UInt8](repeating: UInt8(index % 251), count: index * 8)
        try drawer.send(drawer.entry(payload, retention: retention, key: key))
        if index % 60 == 59 {
          // A participant joins during a stream of entries, so that its live entries begin in the middle of the stream.
          let late = try ParticipantClient(gateway, session, isSecure: index % 120 == 59).join()
          try drawer.read(until: "its own last entry") {
            $0.received.last { $0.type == "Test" }?.clientSequence == UInt32(index + 1)
          }
          try late.read(through: drawer.sequence)
          #expect(late.catchUps == [.snapshot])
          #expect(late.state.held == drawer.state.held)
          late.cut()
        }
      }
      #expect(!drawer.state.held.isEmpty)
    }

    @Test(
      "PROTOCOL 1: when a session is ended, all sockets get the earlier messages, and are then closed with 4010"
    )
    func end() throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession()
      let metrics = try Metrics(of: gateway)
      let members = try (0..<3).map { try ParticipantClient(gateway, session, isSecure: $0 == 1).join() }
      try metrics.wait(for: "three participants") {
        $0["participants"] == 3 && $0["sessions"] == 1 && ($0["log_bytes"] ?? 0) > 0
      }
      try members[0].send(members[0].entry([1]))
      try members[0].socket?.send(#"{"end": {}}"#)
      for member in members {
        try member.read(until: "the end") { $0.closed == 4010 }
        #expect(member.received.contains { $0.payload == [1] })
      }
      try metrics.wait(for: "no session, participants and log bytes") {
        $0["participants"] == 0 && $0["sessions"] == 0 && $0["log_bytes"] == 0
      }
      let late = try WebSocketClient(gateway, session: session)
      #expect(try late.readClose() == 4010)
      #expect(try HTTPClient(gateway).ask("GET", "/api/sessions/\(session.text)").status == 410)
    }

    @Test("PROTOCOL 2.2: `leave` closes the socket with 1000 and is announced to the other members")
    func leave() throws {
      let gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let stays = try ParticipantClient(gateway, session).join()
      let leaves = try ParticipantClient(gateway, session).join()
      try stays.read(until: "the other") { $0.state.participants.count == 2 }
      try leaves.socket?.send(#"{"leave": {}}"#)
      try leaves.read(until: "the close") { $0.closed == 1000 }
      try stays.read(until: "the announcement of the leave") { $0.state.participants == [$0.number] }
    }

    @Test(
      "P7: a WebSocket for an unknown session is closed with 4004; a handshake with a foreign `Origin` is refused with 403"
    )
    func nobodyElse() throws {
      let gateway = try RunningGateway(reactors: 2)
      for low in [0, 1] as [UInt64] {
        let socket = try WebSocketClient(gateway, session: SessionID(high: 1, low: low))
        #expect(try socket.readClose() == 4004)
      }
      let session = try gateway.makeSession()
      let http = try HTTPClient(gateway)
      let answer = try http.ask(
        "GET", WebSocketClient.path(of: session),
        [
          "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
          "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Origin": "https://elsewhere.example",
        ])
      #expect(answer.status == 403)
      #expect(try http.ask("GET", "/api/sessions/\(session.text)").text.contains(#""participants":0"#))
    }
  }
}
