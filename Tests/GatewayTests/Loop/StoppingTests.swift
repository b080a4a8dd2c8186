import Testing
import Platform
import Primitives
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// The stop and the drain of a gateway, with connected clients.
  @Suite("A gateway that stops or drains closes all its sockets")
  struct StoppingTests {
    @Test("A drain sends all entries, closes all sockets with 1012, and then ends", arguments: [1, 2])
    func drain(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors)
      let session = try gateway.makeSession()
      let members = try (0..<6).map { try ParticipantClient(gateway, session, isSecure: $0 % 2 == 1).join() }
      let idle = try HTTPClient(gateway)
      #expect(try idle.ask("GET", "/readyz").status == 200)
      for index in 0..<50 {
        for member in members { try member.send(member.entry([UInt8(index)])) }
      }
      // If one member has received an entry, all other members get the entry before their sockets are closed.
      try members[0].read(until: "all entries") {
        $0.received.count { $0.type == "Test" } == 50 * members.count
      }
      gateway.gateway.drain()
      for member in members {
        try member.read(until: "the close") { $0.closed == 1012 }
        #expect(
          member.received.filter { $0.type == "Test" } == members[0].received.filter { $0.type == "Test" })
        try member.socket?.send(.close, [0x03, 0xf4])
        try member.socket?.stream.drainToEnd()
        member.cut()
      }
      try idle.stream.drainToEnd()
      // All clients have disconnected, so the drain ends without waiting for its deadlines.
      let before = MonotonicTime.now()
      gateway.gateway.waitUntilStopped()
      #expect(.now() - before < .seconds(3))
      #expect(throws: (any Error).self) { try HTTPClient(gateway).ask("GET", "/healthz") }
    }

    @Test("A drain sends entries that were waiting for the flush interval")
    func drainOfHeldEntries() throws {
      let gateway = try RunningGateway { $0.flushInterval = .milliseconds(1000) }
      let session = try gateway.makeSession()
      let metrics = try Metrics(of: gateway)
      let members = try (0..<3).map { try ParticipantClient(gateway, session, isSecure: $0 == 1).join() }
      for index in 0..<20 {
        for member in members { try member.send(member.entry([UInt8(index)])) }
      }
      // Each client sent one `join` and 20 entries.
      try metrics.wait(for: "all messages of the clients") {
        $0["messages_received_total"] == 21 * members.count
      }
      gateway.gateway.drain()
      for member in members {
        try member.read(until: "the close") { $0.closed == 1012 }
        #expect(member.received.count { $0.type == "Test" } == 20 * members.count)
      }
    }

    @Test("A drain ends although no client answers its close frames")
    func drainOfTheSilent() throws {
      let gateway = try RunningGateway(reactors: 2)
      let session = try gateway.makeSession()
      let members = try (0..<3).map { try ParticipantClient(gateway, session, isSecure: $0 == 1).join() }
      let before = MonotonicTime.now()
      gateway.gateway.drain()
      gateway.gateway.waitUntilStopped()
      #expect(.now() - before < .seconds(8))
      for member in members { #expect(try member.socket?.readClose() == 1012) }
    }

    @Test("A stop closes all sockets, including the listeners", arguments: [1, 2])
    func stop(reactors: Int) throws {
      let gateway = try RunningGateway(reactors: reactors)
      let member = try ParticipantClient(gateway, gateway.makeSession(), isSecure: true).join()
      let idle = try HTTPClient(gateway)
      gateway.stop()
      try member.socket?.stream.drainToEnd()
      try idle.stream.drainToEnd()
      #expect(throws: (any Error).self) { try HTTPClient(gateway).ask("GET", "/healthz") }
    }
  }
}
