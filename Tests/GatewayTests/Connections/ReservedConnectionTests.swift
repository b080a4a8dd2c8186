import Networking
import Testing
import Platform
import Wire

@testable import Gateway

extension OverSockets {
  /// A gateway that has reached its limit of connections still answers health checks.
  @Suite("A gateway at its limit of connections still answers health checks")
  struct ReservedConnectionTests {
    private static func fill(_ gateway: RunningGateway, _ count: Int) throws -> [HTTPClient] {
      let clients = try (0..<count).map { _ in try HTTPClient(gateway) }
      for client in clients { #expect(try client.ask("GET", "/api/limits").status == 200) }
      return clients
    }

    @Test(
      "At the limit `connections`, a new connection gets one answer from /healthz, /readyz or /metrics, and is closed",
      arguments: [1, 2], [false, true])
    func monitoring(reactors: Int, isSecure: Bool) throws {
      let gateway = try RunningGateway(reactors: reactors) { $0.limits.connections = 2 }
      let held = try Self.fill(gateway, 2)
      // The test sends more requests for each path than there are reserved slots. All are answered, because an answered
      // connection releases its slot.
      for path in ["/healthz", "/readyz", "/metrics"] {
        for _ in 0..<20 {
          let client = try HTTPClient(gateway, isSecure: isSecure)
          let answer = try client.ask("GET", path)
          #expect(answer.status == 200)
          #expect(answer.field("Connection") == "close")
        }
      }
      #expect(try held[0].ask("GET", "/api/limits").status == 200)
    }

    @Test(
      "At the limit `connections`, requests other than health checks and /metrics are answered with 503",
      arguments: [false, true])
    func anythingElse(isSecure: Bool) throws {
      let gateway = try RunningGateway { $0.limits.connections = 1 }
      let held = try Self.fill(gateway, 1)
      let socket = "/api/sessions/\(String(repeating: "A", count: 22))/socket"
      for (method, path, body) in [
        ("GET", "/", nil), ("GET", "/api/limits", nil), ("POST", "/api/sessions", []), ("GET", socket, nil),
        ("GET", "/healthz", [0x78]),
      ] as [(String, String, [UInt8]?)] {
        let client = try HTTPClient(gateway, isSecure: isSecure)
        let answer = try client.ask(method, path, body: body)
        #expect(answer.status == 503)
        #expect(answer.text.contains("too-many") && answer.text.contains(#""limit":1"#))
        #expect(answer.field("Retry-After") != nil && answer.field("Connection") == "close")
        try client.stream.drainToEnd()
      }
      withExtendedLifetime(held) {}
    }

    @Test(
      "At the limit `connections`, silent connections do not block the reserved slots",
      arguments: [false, true])
    func silence(isSecure: Bool) throws {
      let gateway = try RunningGateway { $0.limits.connections = 1 }
      let held = try Self.fill(gateway, 1)
      let silent = try (0..<100).map { _ in
        try ByteStream(to: gateway, isSecure: isSecure, shakesHands: false)
      }
      for _ in 0..<20 {
        #expect(try HTTPClient(gateway, isSecure: isSecure).ask("GET", "/healthz").status == 200)
      }
      _ = (held, silent)
    }
  }
}

/// The choice of the reserved connection that is evicted.
@Suite(
  "Slots are reserved for health checks; when they are used up, silent connections are evicted before others")
struct ReservedSlotTests {
  private static func key(_ slot: Int) -> Connection.Key { Connection.Key(slot: Int32(slot), generation: 1) }

  @Test(
    "The reactors share 16 slots for reserved connections, and each reactor has at least 2 slots",
    arguments: [
      (1, 16), (2, 8), (3, 6), (8, 2), (64, 2),
    ])
  func share(reactors: Int, slots: Int) {
    var reserved = ReservedConnections(reactors: reactors)
    for slot in 0..<slots {
      #expect(reserved.victim { _ in .silent } == nil)
      reserved.insert(Self.key(slot))
    }
    #expect(reserved.victim { _ in .silent } == Self.key(0))
    reserved.remove(Self.key(0))
    #expect(reserved.victim { _ in .silent } == nil)
  }

  @Test(
    "Silent connections are evicted first, then connections with incomplete requests, then others; in each group, the oldest first"
  )
  func order() {
    var reserved = ReservedConnections(reactors: 4)
    for slot in 0..<4 { reserved.insert(Self.key(slot)) }
    func victim(_ stages: [ReservedConnections.Stage]) -> Connection.Key? {
      reserved.victim { stages[Int($0.slot)] }
    }
    #expect(victim([.answered, .asking, .silent, .silent]) == Self.key(2))
    #expect(victim([.answered, .asking, .answered, .asking]) == Self.key(1))
    #expect(victim([.answered, .answered, .answered, .answered]) == Self.key(0))
  }
}
