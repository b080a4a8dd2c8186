import Testing
import Platform
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// P5: a slow reader harms no other member.
  @Suite("P5: a slow reader harms no other member")
  struct SlowReaderTests {
    /// A session with one member that does not read, and other members that read.
    private struct Room {
      let gateway: RunningGateway
      let drawer: ParticipantClient
      let other: ParticipantClient
      let slow: ParticipantClient
      private(set) var drawn = 0

      init(isSecure: Bool, reactors: Int = 1) throws {
        gateway = try RunningGateway(reactors: reactors) { $0.limits.catchUpTailBytes = 1 << 20 }
        let session = try gateway.makeSession()
        drawer = try ParticipantClient(gateway, session).join()
        other = try ParticipantClient(gateway, session, isSecure: true).join()
        slow = ParticipantClient(gateway, session, isSecure: isSecure)
        let stream = try HTTPClient(gateway, isSecure: isSecure)
        try slow.join(over: WebSocketClient(upgrading: stream, to: WebSocketClient.path(of: session)))
        try drawer.read(until: "all") { $0.state.participants.count == 3 }
      }

      /// Sends this number of bytes in entries of two sizes. All members except the slow one read them.
      mutating func pass(bytes: Int) throws {
        var passed = 0
        while passed < bytes {
          drawn += 1
          let size = drawn % 5 == 0 ? 200_000 : 20_000
          let entry = drawer.entry(
            [UInt8](repeating: UInt8(drawn % 256), count: size), retention: .replace,
            key: EntryKey(high: 5, low: UInt64(drawn % 6)))
          let small = drawer.entry([1, 2, 3], retention: .append, key: EntryKey(high: 6, low: 0))
          try drawer.send(entry, small)
          passed += size
          for reader in [drawer, other] {
            try reader.read(until: "all entries of the drawer") {
              $0.received.last { $0.type == "Test" }?.clientSequence == drawer.clientSequence
            }
            reader.received = Array(reader.received.suffix(1))
          }
        }
      }
    }

    @Test(
      "P5, P3: a member that reads nothing while 40 MB are sent gets a catch-up between two frames; the others get all entries",
      arguments: [false, true])
    func neverReads(isSecure: Bool) throws {
      var room = try Room(isSecure: isSecure, reactors: 2)
      let metrics = try Metrics(of: room.gateway)
      try room.pass(bytes: 40 << 20)
      // The slow member now reads the bytes that the kernel has buffered, the rest of a partly sent frame, and a catch-up.
      try room.slow.read(through: room.drawer.sequence)
      #expect(room.slow.catchUps.count >= 2)
      // No entry was lost.
      #expect(room.drawer.state.held[EntryKey(high: 6, low: 0)]?.count == room.drawn)
      #expect(room.slow.state == room.drawer.state)
      #expect(room.other.state == room.drawer.state)
      try metrics.wait(for: "a late catch-up") { ($0["late_catch_ups_total"] ?? 0) >= 1 }
      // The slow member can send and receive entries again.
      try room.slow.send(room.slow.entry([42]))
      for client in [room.slow, room.drawer, room.other] {
        try client.read(until: "the entry of the slow member") { $0.received.contains { $0.payload == [42] } }
      }
    }

    @Test(
      "P5: a member that stops reading several times gets a catch-up each time", arguments: [false, true])
    func nowAndThen(isSecure: Bool) throws {
      var room = try Room(isSecure: isSecure)
      for _ in 0..<4 {
        try room.pass(bytes: 4 << 20)
        try room.slow.read(through: room.drawer.sequence)
        #expect(room.slow.state == room.drawer.state)
        room.slow.received = []
      }
    }

    @Test(
      "P5: a joiner that pauses while it reads its snapshot still gets the whole snapshot",
      arguments: [false, true])
    func slowJoiner(isSecure: Bool) throws {
      var room = try Room(isSecure: isSecure)
      try room.pass(bytes: 2 << 20)
      room.slow.cut()
      let http = try HTTPClient(room.gateway, isSecure: isSecure)
      let socket = try WebSocketClient(upgrading: http, to: WebSocketClient.path(of: room.slow.session))
      let joiner = ParticipantClient(room.gateway, room.slow.session, isSecure: isSecure)
      try socket.send(.text, joiner.joinMessage())
      try room.pass(bytes: 8 << 20)
      try joiner.begin(on: socket)
      try joiner.read(through: room.drawer.sequence)
      #expect(joiner.state.held == room.drawer.state.held)
    }

    @Test(
      "P5: if a client sends pings without reading the pongs, the gateway stops reading from it, and the session continues"
    )
    func unreadPongs() throws {
      var room = try Room(isSecure: false)
      let stream = try #require(room.slow.socket?.stream)
      let ping = WebSocketClient.frame(.ping, [UInt8](repeating: 1, count: 125))
      let pings = (0..<2000).flatMap { _ in ping }
      // Sends pings until the gateway accepts no more bytes. The buffers of the gateway and of the kernel are limited, so this
      // happens before 64 MiB are sent.
      var sent = 0
      while sent < 64 << 20, try stream.offer(pings, within: .milliseconds(200)) { sent += pings.count }
      #expect(sent < 64 << 20)
      try room.pass(bytes: 1 << 20)
      room.slow.cut()
    }
  }
}
