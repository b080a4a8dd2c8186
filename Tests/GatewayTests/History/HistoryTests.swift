import FoundationEssentials
import Storage
import Testing
import TestSupport
import Wire

@testable import Gateway

extension OverSockets {
  /// The history of a session over HTTP.
  @Suite("A client that may join a session can read its history: the overview, entries and states")
  struct HistoryTests {
    /// The members of an overview that the tests use.
    private struct Overview: Decodable {
      struct Row: Decodable {
        let first: UInt64
        let last: UInt64
        let tag: String

        init(from decoder: any Decoder) throws {
          var row = try decoder.unkeyedContainer()
          first = try row.decode(UInt64.self)
          last = try row.decode(UInt64.self)
          tag = try row.decode(String.self)
        }
      }

      struct State: Decodable, Equatable {
        let sequence: UInt64
        let tag: String?

        init(from decoder: any Decoder) throws {
          var row = try decoder.unkeyedContainer()
          sequence = try row.decode(UInt64.self)
          tag = try row.decodeNil() ? nil : row.decode(String.self)
        }
      }

      let through: UInt64
      let stored: UInt64
      let states: [State]
      let chunks: [Row]
      let participants: [Participant]
    }

    /// A range of sequences that an answer covers.
    private struct Mark: Decodable {
      let from: UInt64
      let to: UInt64
      let time: UInt64?
    }

    /// The entries of an answer, and the sequences that it covers.
    private struct Entries {
      var sequences: [UInt64] = []
      var marks: [Mark] = []

      init(_ bytes: [UInt8]) throws {
        var at = 0
        while at < bytes.count {
          let entry = try GatewayEntry.parse(bytes.span, at: at)
          at = entry.end
          if entry.sequence > 0 {
            sequences.append(entry.sequence)
          } else {
            #expect(Array(bytes[entry.type]) == Array("history".utf8))
            marks.append(try JSONDecoder().decode(Mark.self, from: Data(bytes[entry.payload])))
          }
        }
      }
    }

    private static func path(_ session: SessionID, _ query: String = "") -> String {
      "/api/sessions/\(session.text)/history\(query)"
    }

    private static func overview(_ client: HTTPClient, _ session: SessionID) throws -> Overview {
      let answer = try client.ask("GET", path(session))
      #expect(answer.status == 200 && answer.field("Cache-Control") == "no-store", "\(answer.text)")
      return try JSONDecoder().decode(Overview.self, from: Data(answer.body))
    }

    /// Replaces the entries of three keys in turn.
    private static func draw(_ member: ParticipantClient, _ count: Int, bytes: Int = 10) throws {
      for number in 0..<count {
        try member.send(
          member.entry(
            [UInt8](repeating: UInt8(number & 255), count: bytes), retention: .replace,
            key: EntryKey(high: 1, low: UInt64(number % 3))))
      }
      try member.readUntilCommitted()
    }

    /// Reads all entries from the first sequence on, one answer after another.
    private static func all(_ client: HTTPClient, _ session: SessionID, through: UInt64) throws -> Entries {
      var all = try Entries([])
      var next: UInt64 = 1
      while next <= through {
        let answer = try client.ask("GET", path(session, "?from=\(next)&to=\(through)"))
        #expect(answer.status == 200, "\(answer.text)")
        let entries = try Entries(answer.body)
        all.sequences += entries.sequences
        all.marks += entries.marks
        next = try #require(entries.marks.last).to + 1
      }
      return all
    }

    @Test("a short session is read from its log: entries with their times, plain or compressed")
    func tail() throws {
      let gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let ada = try ParticipantClient(gateway, session).join()
      try Self.draw(ada, 20)
      let client = try HTTPClient(gateway)
      let overview = try Self.overview(client, session)
      #expect(overview.stored == 0 && overview.chunks.isEmpty)
      // The history begins with the session, so it begins with the empty state.
      #expect(overview.states.map(\.sequence) == [0] && overview.states.first?.tag == nil)
      #expect(overview.through >= 21)
      #expect(overview.participants.map(\.number) == [ada.number])
      let answer = try client.ask("GET", Self.path(session, "?from=1&to=1000"))
      #expect(answer.status == 200 && answer.field("Content-Encoding") == nil)
      #expect(answer.field("Cache-Control") == "no-store")
      let entries = try Entries(answer.body)
      #expect(entries.sequences == Array(1...overview.through))
      #expect(entries.marks.first?.from == 1 && entries.marks.last?.to == overview.through)
      #expect(entries.marks.allSatisfy { ($0.time ?? 0) > 1_600_000_000_000 })
      let compressed = try client.ask(
        "GET", Self.path(session, "?from=1&to=1000"), ["Accept-Encoding": "gzip"])
      #expect(compressed.field("Content-Encoding") == "gzip")
      #expect(compressed.body.starts(with: [0x1F, 0x8B]) && compressed.body.count < answer.body.count)
      let head = try client.ask("HEAD", Self.path(session, "?from=1&to=1000"))
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(head.field("Content-Length") == "\(answer.body.count)")
    }

    @Test("a request outside the history, from a foreign page or for an unknown session is refused")
    func refusals() throws {
      let gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let client = try HTTPClient(gateway)
      #expect(try client.ask("GET", Self.path(session, "?from=1")).status == 400)
      #expect(try client.ask("GET", Self.path(session, "?state=7")).status == 404)
      #expect(try client.ask("GET", Self.path(session, "?from=1&to=2&tag=01234567")).status == 404)
      #expect(try client.ask("POST", Self.path(session)).status == 405)
      let foreign = try client.ask("GET", Self.path(session), ["Origin": "https://other.example"])
      #expect(foreign.status == 403)
      #expect(try HTTPClient(gateway).ask("GET", Self.path(SessionID(high: 1, low: 1))).status == 404)
    }

    @Test("a longer session is stored in pieces, which a browser may keep, and which survive a crash")
    func pieces() async throws {
      let gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let ada = try ParticipantClient(gateway, session).join()
      try Self.draw(ada, 60, bytes: 10_000)
      var client = try HTTPClient(gateway, bodyLimit: 1 << 24)
      let overview = try Self.overview(client, session)
      let chunk = try #require(overview.chunks.first)
      #expect(chunk.first == 1 && chunk.last == overview.stored && chunk.last >= 61)
      let query = "?from=\(chunk.first)&to=\(chunk.last)&tag=\(chunk.tag)"
      let answer = try client.ask("GET", Self.path(session, query))
      #expect(answer.status == 200)
      #expect(answer.field("Cache-Control") == "private, max-age=31536000, immutable")
      #expect(try Entries(answer.body).sequences == Array(1...chunk.last))
      let compressed = try client.ask("GET", Self.path(session, query), ["Accept-Encoding": "gzip"])
      #expect(compressed.field("Content-Encoding") == "gzip" && compressed.body.count < answer.body.count / 5)
      let other = "?from=\(chunk.first)&to=\(chunk.last)&tag=01234567"
      #expect(try client.ask("GET", Self.path(session, other)).status == 404)
      let part = try Entries(client.ask("GET", Self.path(session, "?from=20&to=21")).body)
      #expect(part.sequences.contains(20) && part.sequences.contains(21))
      #expect(part.sequences.count < 30)

      let second = try gateway.restart(.cut)
      client = try HTTPClient(second, bodyLimit: 1 << 24)
      #expect(try client.ask("GET", Self.path(session, query)).body == answer.body)
      let third = try second.restart(.cut) { $0.history = .off }
      client = try HTTPClient(third)
      #expect(try client.ask("GET", Self.path(session, query)).status == 404)
      let files = try FileManager.default.contentsOfDirectory(
        atPath: "\(third.folder)/data/sessions/\(session.text)")
      #expect(!files.contains { $0.hasPrefix("history") }, "\(files)")
    }

    @Test(
      "after compactions and restarts, the history has each entry once, in order", arguments: [true, false])
    func compactions(drains: Bool) async throws {
      var gateway = try RunningGateway { $0.limits.catchUpTailBytes = 100_000 }
      let session = try gateway.makeSession()
      let ada = try ParticipantClient(gateway, session).join()
      for _ in 0..<3 {
        // Small batches: a compaction keeps the records of the newest entries, and a large record would be kept as a whole.
        for _ in 0..<15 { try Self.draw(ada, 10, bytes: 20_000) }
        try await gateway.wait(for: "the compaction", of: session) { host in
          host.map { !$0.isCompacting && $0.history.through > 0 } ?? false
        }
        gateway = try gateway.restart(drains ? .drained : .cut)
        ada.gateway = gateway
        try ada.join()
      }
      try ada.readUntilCommitted()
      let client = try HTTPClient(gateway, bodyLimit: 1 << 24)
      let through = try Self.overview(client, session).through
      let all = try Self.all(client, session, through: through)
      #expect(all.sequences == Array(1...through))
      var reached: UInt64 = 0
      for mark in all.marks {
        #expect(mark.from == reached + 1)
        reached = mark.to
      }
    }
  }
}
