import Testing
import Platform
import WebSocket
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// P2, P3, P8: lost connections, and participants that resume.
  @Suite("Participants resume after a lost connection")
  struct ResumeTests {
    @Test(
      "P2, P8: a disconnected participant resumes under the same id, gets a tail, and receives each entry once",
      arguments: [false, true])
    func tail(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession()
      let stays = try ParticipantClient(gateway, session).join()
      let cut = try ParticipantClient(gateway, session, isSecure: isSecure).join()
      try stays.read(until: "the other participant") { $0.state.participants.count == 2 }
      let number = cut.number
      try cut.send(cut.entry([1]))
      cut.cut()
      try stays.send(stays.entry([2], retention: .replace, key: EntryKey(high: 0, low: 1)))
      try stays.read(until: "own entry") { $0.received.contains { $0.payload == [2] } }
      // The client keeps the entry that it creates while it is disconnected, and sends it after the resume.
      _ = cut.entry([3])
      try cut.join()
      #expect(cut.joined?.resumed == true)
      #expect(cut.number == number)
      #expect(cut.catchUps == [.snapshot, .tail])
      for client in [cut, stays] {
        try client.read(until: "the last entry") { $0.received.contains { $0.payload == [3] } }
        let payloads = client.received.filter { $0.type == "Test" }.map(\.payload)
        #expect(payloads.count == 3)
        #expect(Set(payloads) == [[1], [2], [3]])
        // No leave was announced: a broken connection is not a leave.
        #expect(client.state.participants == [cut.number, stays.number])
        #expect(!stays.received.contains { $0.sequence > 2 && $0.type == SystemType.participants })
      }
      #expect(cut.state == stays.state)
    }

    @Test(
      "P1, P2, P3: despite 120 disconnects, each entry of three participants arrives once and in order, and all states are equal",
      arguments: [false, true])
    func manyCuts(isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession()
      let clients = try (0..<3).map { _ in
        try ParticipantClient(gateway, session, isSecure: isSecure).join()
      }
      let witness = try ParticipantClient(gateway, session).join()
      var random = SeededGenerator(seed: 20_261_121)
      let rounds = 120
      for round in 0..<rounds {
        for client in clients {
          let entries = (0..<Int(random.next(below: 12))).flatMap { _ in
            client.entry(
              [UInt8(round), UInt8(random.next(below: 250))],
              retention: random.next(below: 2) == 0 ? .append : .replace,
              key: EntryKey(high: 1, low: random.next(below: 16)))
          }
          try client.send(entries)
        }
        let client = clients[round % 3]
        // Some connections break in the middle of a frame, so that only its first bytes arrive.
        if random.next(below: 3) == 0, let socket = client.socket {
          let frame = WebSocketClient.frame(.binary, client.entry([UInt8(round), 255]))
          try socket.stream.send(Array(frame.prefix(1 + Int(random.next(below: UInt64(frame.count - 1))))))
        }
        client.cut()
        try client.join()
      }
      let total = clients.reduce(0) { $0 + Int($1.clientSequence) }
      try witness.read(until: "all entries") { $0.received.count { $0.type == "Test" } == total }
      for client in clients {
        try client.read(through: witness.sequence)
        #expect(client.state == witness.state)
        let own = witness.received.filter { $0.sender == client.number && $0.type == "Test" }
        #expect(own.map(\.clientSequence) == Array(1...client.clientSequence))
      }
    }

    @Test(
      "PROTOCOL 2.2: when a participant resumes on another socket, the old socket is closed with 4009",
      arguments: [1, 2])
    func elsewhere(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors)
      let session = try gateway.makeSession()
      let client = try ParticipantClient(gateway, session).join()
      let old = try #require(client.socket)
      try client.join()
      #expect(client.joined?.resumed == true)
      #expect(try old.readClose() == 4009)
      try client.send(client.entry([1]))
      try client.read(until: "own entry") { $0.received.contains { $0.payload == [1] } }
    }

    @Test("P3: a client whose next entry is no longer in the tail gets a snapshot")
    func snapshotAfterLong() throws {
      let gateway = try RunningGateway { $0.limits.catchUpTailBytes = 65_536 }
      let session = try gateway.makeSession()
      let stays = try ParticipantClient(gateway, session).join()
      let cut = try ParticipantClient(gateway, session).join()
      cut.cut()
      for index in 0..<40 {
        try stays.send(
          stays.entry(
            [UInt8](repeating: UInt8(index), count: 30_000), retention: .replace,
            key: EntryKey(high: 0, low: UInt64(index % 3))))
        try stays.read(until: "own entry") { $0.received.last?.clientSequence == UInt32(index + 1) }
      }
      // The log drops only entries that are on the disk, so the test waits until all entries are committed.
      try stays.read(until: "all entries are committed") { $0.committed >= $0.sequence }
      try cut.join()
      #expect(cut.joined?.resumed == true)
      #expect(cut.catchUps == [.snapshot, .snapshot])
      #expect(cut.state.held == stays.state.held)
    }

    @Test(
      "P8, PROTOCOL 2.2: `graceSeconds` after a disconnect, the participant is announced as gone, but its token stays valid"
    )
    func grace() throws {
      let gateway = try RunningGateway { $0.limits.graceSeconds = 1 }
      let session = try gateway.makeSession()
      let stays = try ParticipantClient(gateway, session).join()
      let goes = try ParticipantClient(gateway, session).join()
      try stays.read(until: "the other participant") { $0.state.participants.count == 2 }
      try goes.send(goes.entry([1]))
      try goes.read(until: "own entry") { $0.received.contains { $0.payload == [1] } }
      let number = goes.number
      goes.cut()
      try stays.read(until: "the news") { $0.state.participants == [$0.number] }
      let news = try #require(stays.received.last)
      #expect(try ParticipantsPayload.decode(news.payload.span).left.map(\.reason) == [.gone])
      try goes.join()
      #expect(goes.joined?.resumed == true)
      #expect(goes.joined?.acknowledged == 1)
      #expect(goes.number == number)
      try stays.read(until: "the return of the other participant") { $0.state.participants.count == 2 }
    }
  }
}
