import FoundationEssentials
import Testing
import Platform
import Wire
import TestSupport

@testable import Gateway

extension OverSockets {
  /// PROTOCOL 4, Read: whole contents and ranges, and readers that are slow, stop or disconnect.
  @Suite("PROTOCOL 4: attachments are downloaded as a whole or in ranges, by fast and slow readers")
  struct DownloadTests {
    struct Way: CustomTestStringConvertible {
      let isSecure: Bool
      let isOnOwner: Bool

      var testDescription: String {
        "\(isSecure ? "TLS" : "plain"), on \(isOnOwner ? "the session's" : "the other") reactor"
      }

      static let all = [false, true].flatMap { isSecure in
        [false, true].map { Way(isSecure: isSecure, isOnOwner: $0) }
      }
    }

    /// An attachment's content that is larger than the buffers of a socket.
    private static let large = Content.bytes(12 << 20, seed: 31)
    private static let body = Content.bytes(700_001, seed: 32)

    @Test("RFC 9110 §14: range requests get the requested bytes, also in edge cases", arguments: Way.all)
    func ranges(_ way: Way) throws {
      let room = try JournalRoom()
      let (client, id) = (try room.client(isSecure: way.isSecure, onOwner: way.isOnOwner), UUID())
      #expect(try client.add(id, Self.body).status == 201)
      let count = Self.body.count
      let parts: [(String, Range<Int>)] = [
        ("bytes=0-0", 0..<1), ("bytes=0-", 0..<count), ("bytes=65535-65536", 65_535..<65_537),
        ("bytes=131071-262144", 131_071..<262_145), ("bytes=-1", count - 1..<count),
        ("bytes=700000-", count - 1..<count), ("bytes=100-99999999", 100..<count),
        ("bytes=-99999999", 0..<count),
      ]
      // The range requests are pipelined, with `HEAD` requests and health checks between them.
      try client.stream.send(
        parts.flatMap { part in
          client.http.head("GET", client.path(of: id), ["Range": part.0])
            + client.http.head("HEAD", client.path(of: id), ["Range": part.0])
            + client.http.head("GET", "/healthz")
        })
      for (asked, range) in parts {
        let answer = try client.http.response()
        #expect(answer.status == 206, "\(asked)")
        #expect(answer.field("Content-Range") == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)")
        #expect(answer.body == Array(Self.body[range]), "\(asked)")
        let head = try client.http.response(to: "HEAD")
        #expect([200, 206].contains(head.status) && head.body.isEmpty)
        #expect(try client.http.response().text == "{\"status\":\"alive\"}\n")
      }
      let beyond = try client.http.ask("GET", client.path(of: id), ["Range": "bytes=\(count)-"])
      #expect(beyond.status == 416)
      #expect(beyond.field("Content-Range") == "bytes */\(count)")
      let unchanged = try client.http.ask(
        "GET", client.path(of: id), ["If-None-Match": "\"\(Content.digest(Self.body))\""])
      #expect(unchanged.status == 304 && unchanged.body.isEmpty)
    }

    @Test(
      "P5: a paused download delays no other requests, and can be completed even if the attachment is removed meanwhile",
      arguments: Way.all)
    func stopsAndReturns(_ way: Way) throws {
      let room = try JournalRoom()
      let (client, id) = (try room.client(isSecure: way.isSecure, onOwner: way.isOnOwner), UUID())
      #expect(try room.observer.add(id, Self.large).status == 201)
      try client.stream.send(client.http.head("GET", client.path(of: id)))
      try client.stream.receiveMore(by: TestTimeout.deadline)
      try Self.waitUntilStuck(room)
      // While the reader pauses, other reads and the removal are answered.
      #expect(try room.observer.read(id).body == Self.large)
      #expect(try room.observer.remove(id) == 204)
      #expect(try room.observer.read(id).status == 404)
      let answer = try client.http.response()
      #expect(answer.status == 200)
      #expect(answer.body == Self.large)
      #expect(try client.http.ask("GET", "/healthz").text == "{\"status\":\"alive\"}\n")
      try room.expectNothing()
    }

    /// The way in which a reader disconnects during a download.
    enum Death: CaseIterable {
      case reset, end
    }

    @Test("P6: downloads that the client aborts leave no open descriptor", arguments: Way.all, Death.allCases)
    func goes(_ way: Way, death: Death) throws {
      let room = try JournalRoom()
      let id = UUID()
      #expect(try room.observer.add(id, Self.large).status == 201)
      var random = SeededGenerator(seed: 6)
      for round in 0..<12 {
        let client = try room.client(isSecure: way.isSecure, onOwner: way.isOnOwner)
        try client.stream.send(client.http.head("GET", client.path(of: id)))
        // Each round receives a different number of bytes: from none up to all bytes that the socket's buffers hold.
        for _ in 0..<random.next(below: 20) { try client.stream.receiveMore(by: TestTimeout.deadline) }
        if round % 4 == 0 { try Self.waitUntilStuck(room) }
        switch death {
        case .reset: client.stream.cut()
        case .end: client.stream.close()
        }
      }
      try room.metrics.wait(for: "the end of all downloads") {
        // The two sockets that stay open are those with which the test observes the session and reads the metrics.
        $0["sockets{kind=\"http\"}"] == 2 && $0["sockets{kind=\"tls\"}"] == 0
      }
      #expect(try room.settle().count == 1)
      let deadline = TestTimeout.deadline
      while try room.gateway.openSockets() != JournalRoom.connections, .now() < deadline {}
      #expect(try room.gateway.openSockets() == JournalRoom.connections)
    }

    @Test(
      "P6: if a reader accepts no bytes for `bodyStallSeconds`, its connection is closed, and no descriptor stays open",
      arguments: Way.all)
    func stalls(_ way: Way) throws {
      // The upload of the large attachment must not pause as long as this.
      let room = try JournalRoom { $0.limits.bodyStallSeconds = TestTimeout.briefSeconds }
      let id = UUID()
      #expect(try room.observer.add(id, Self.large).status == 201)
      let client = try room.client(isSecure: way.isSecure, onOwner: way.isOnOwner)
      try client.stream.send(client.http.head("GET", client.path(of: id)))
      try room.metrics.wait(for: "the end of the connection") { $0["sockets{kind=\"http\"}"] == 2 }
      #expect(try room.settle().count == 1)
      #expect(throws: (any Error).self) { try client.http.response() }
    }

    /// Waits until the gateway cannot send more, because the socket's buffers are full.
    private static func waitUntilStuck(_ room: JournalRoom) throws {
      var before = 0
      try room.metrics.wait(for: "a full socket") { values in
        let sent = values["sent_bytes_total"] ?? 0
        defer { before = sent }
        // Each check requests the metrics, and the response has less than 60,000 bytes. If the gateway sent nothing else, the
        // download is stuck.
        return sent - before < 60_000
      }
    }
  }
}
