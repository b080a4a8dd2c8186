import Testing
import Platform
import WebSocket
import Wire

@testable import Gateway

extension OverSockets {
  /// DESIGN, One log: k entries in a turn need one `send` per socket, not k.
  @Suite("Entries that arrive together are sent to each member with one `send` call")
  struct SendCountTests {
    @Test(
      "16 entries that arrive in one read need one `send` per member in a session of 200 members",
      arguments: [false, true])
    func oneSendEach(isSecure: Bool) throws {
      let gateway = try RunningGateway()
      let session = try gateway.makeSession()
      let members = try (0..<200).map { index in
        let member = ParticipantClient(gateway, session, isSecure: isSecure && index % 4 == 0)
        member.followsParticipants = false
        return try member.join()
      }
      let sender = members[0]
      let last = try #require(members.last)
      for member in members { try member.read(through: last.sequence) }
      let metrics = try Metrics(of: gateway)
      // If the 200 handshakes take long, a ping may add a `send` to a measurement. So the lowest of three counts is used.
      let sends = try (1...3).map { burst in
        // Each entry has a frame of its own, and the 16 frames are sent in one write.
        var frames: [UInt8] = []
        for index in 0..<16 { frames += WebSocketClient.frame(.binary, sender.entry([UInt8(index)])) }
        let before = try metrics.values()
        try sender.socket?.stream.send(frames)
        for member in members {
          try member.read(until: "16 entries") { $0.received.count { $0.type == "Test" } == 16 * burst }
        }
        let after = try metrics.values()
        let entries =
          try #require(after["entries_delivered_total"]) - #require(before["entries_delivered_total"])
        #expect(entries == 16 * members.count)
        return try #require(after["send_calls_total"]) - #require(before["send_calls_total"])
      }
      let least = try #require(sends.min())
      // One `send` per member, two for the responses with the counters, and one for the sender's `committed`.
      #expect(least <= members.count + 3)
      #expect(least >= members.count)
    }
  }
}
