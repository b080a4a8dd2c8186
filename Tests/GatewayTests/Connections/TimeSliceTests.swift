import FoundationEssentials
import Testing
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// P5: expensive input is handled in steps, one per turn, and other sockets are served between the steps.
  @Suite(
    "P5: expensive input is handled in steps, one per turn, and other sockets are served between the steps")
  struct TimeSliceTests {
    @Test(
      "P5: a 2 KB message that inflates to 1 MiB of entries is handled in steps, one per turn, before later entries"
    )
    func inflatingAndEntries() throws {
      let gateway = try RunningGateway()
      let client = try compressing(gateway)
      let repeated = client.entry([], type: "T")
      try client.send(repeated)
      try client.read(until: "its entry") { !$0.received.isEmpty }
      let count = ClientEntry.maximumMessageLength / repeated.count
      let turns = try Metrics(of: gateway).value("loop_turns_total")
      let message = Array(repeatElement(repeated, count: count).joined())
      try client.socket?.stream.send(compressedFrame(message) + compressedFrame(client.entry([7], type: "T")))
      try client.read(until: "the entry after the compressed message") { $0.received.last?.payload == [7] }
      let steps = message.count / (65_536 + 32_768) + count / 2_048
      #expect(try Metrics(of: gateway).value("loop_turns_total") - turns >= steps)
      #expect(client.received.count == 2 && client.closed == nil)
    }

    @Test(
      "P5: if two clients send long compressed messages and one client disconnects, the other client gets the inflater"
    )
    func sharedInflater() throws {
      let gateway = try RunningGateway()
      let clients = try (0..<2).map { _ in try compressing(gateway) }
      let metrics = try Metrics(of: gateway)
      for client in clients {
        let repeated = client.entry([UInt8](repeating: 7, count: 200_000), type: "T")
        for _ in 0..<4 { try client.socket?.stream.send(compressedFrame(repeated + repeated + repeated)) }
      }
      clients[0].cut()
      let last = clients[1]
      try last.socket?.stream.send(compressedFrame(last.entry([7], type: "T")))
      try last.read(until: "the entry after the compressed messages") { $0.received.last?.payload == [7] }
      #expect(last.received.count == 2)
      last.cut()
      try metrics.waitForNoSockets()
    }

    @Test("P5: every socket that waits for the inflater eventually gets it")
    func inflaterQueue() throws {
      let gateway = try RunningGateway()
      let clients = try (0..<6).map { _ in try compressing(gateway) }
      for client in clients {
        for _ in 0..<3 {
          try client.socket?.stream.send(
            compressedFrame(client.entry([UInt8](repeating: 7, count: 200_000), type: "T")))
        }
        try client.socket?.stream.send(compressedFrame(client.entry([7], type: "T")))
      }
      for client in clients {
        try client.read(until: "the entry after the compressed messages") { $0.received.last?.payload == [7] }
        #expect(client.received.count == 4)
      }
    }

    @Test(
      "P5: a message that inflates beyond the limit releases the inflater, while the socket of the message stays open"
    )
    func oversizedMessage() throws {
      let gateway = try RunningGateway()
      let metrics = try Metrics(of: gateway)
      let (large, next) = try (compressing(gateway), compressing(gateway))
      for _ in 0..<2 {
        try large.socket?.stream.send(
          compressedFrame([UInt8](repeating: 0, count: 4 * ClientEntry.maximumMessageLength)))
      }
      try next.socket?.stream.send(
        compressedFrame(next.entry([UInt8](repeating: 7, count: 200_000), type: "T")))
      try next.read(until: "its entry") { $0.received.count == 1 }
      // The count includes the connection of the metrics request.
      #expect(try metrics.value("sockets{kind=\"http\"}") == 2)
      try large.read(until: "its close") { $0.closed != nil }
      #expect(large.closed == 1009)
    }

    @Test("P5: sockets get the inflater in the order of their requests")
    func firstComeFirstServed() {
      let inflater = SharedInflater()
      let keys = (0..<100).map { Connection.Key(slot: $0, generation: 1) }
      let claims = keys.map { inflater.claim(for: $0) }
      #expect(claims == [true] + Array(repeating: false, count: 99))
      let releases = keys.reversed().map { inflater.release(from: $0) }
      #expect(releases == Array(repeating: false, count: 99) + [true])
      var served: [Connection.Key?] = []
      for (count, key) in keys.enumerated() {
        inflater.enqueue(key)
        if count % 3 > 0 { served.append(inflater.dequeue()) }
      }
      while let key = inflater.dequeue() { served.append(key) }
      #expect(served == keys)
    }

    @Test(
      "P5: when a socket closes, the buffered pieces of the socket's incomplete compressed message are released"
    )
    func givenBack() throws {
      let gateway = try RunningGateway()
      let metrics = try Metrics(of: gateway)
      for _ in 0..<3 {
        let client = try compressing(gateway)
        let repeated = client.entry([UInt8](repeating: 7, count: 200_000), type: "T")
        try client.socket?.stream.send(
          compressedFrame(repeated + repeated) + compressedFrame(repeated).dropLast())
        client.cut()
      }
      try metrics.waitForNoSockets()
    }

    @Test("P5: a body in one-byte chunks is handled in steps, one per turn, and arrives completely")
    func chunks() throws {
      let gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let client = try HTTPClient(gateway)
      let metrics = try Metrics(of: gateway)
      let before = try metrics.value("loop_turns_total")
      let count = 20 * 1_024
      let body =
        Array(repeatElement(Array("1\r\nx\r\n".utf8), count: count).joined()) + Array("0\r\n\r\n".utf8)
      try client.stream.send(
        client.head(
          "POST", "/api/sessions/\(session.text)/attachments",
          [
            "Transfer-Encoding": "chunked", "Content-Type": "text/plain",
            "Content-Disposition": #"attachment; filename="x""#,
          ]) + body)
      let answer = try client.response()
      #expect(answer.status == 201)
      #expect(answer.text.contains(#""size":\#(count)"#))
      #expect(try metrics.value("loop_turns_total") - before >= 20)
    }

    private func compressing(_ gateway: RunningGateway) throws -> ParticipantClient {
      let session = try gateway.makeSession()
      let socket = try WebSocketClient(
        upgrading: HTTPClient(gateway), to: WebSocketClient.path(of: session), offersDeflate: true)
      return try ParticipantClient(gateway, session).join(over: socket)
    }

    private func compressedFrame(_ message: [UInt8]) -> [UInt8] {
      var payload: [UInt8] = []
      Deflater().compress(message.span, into: &payload)
      var bytes: [UInt8] = []
      FrameWriter.append(
        .binary, payload: payload.span, isCompressed: true, maskingKey: .random(), to: &bytes)
      return bytes
    }
  }
}
