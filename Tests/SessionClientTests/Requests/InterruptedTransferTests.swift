import FoundationEssentials
import Testing
import Platform
import Wire

@testable import SessionClient

/// Uploads and downloads over lost connections, and gateways that restart.
@Suite("Interrupted uploads and downloads continue over a new connection")
struct InterruptedTransferTests {
  @Test(
    "With 200 lost connections during transfers, each attachment is listed once and has the right content",
    arguments: [
      // The first plan cuts connections mostly in a message body, the second mostly in a message head.
      (seed: UInt64(11), largest: 150_000), (seed: 12, largest: 4_000),
    ])
  func cuts(_ plan: (seed: UInt64, largest: Int)) async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let proxy = try CuttingProxy(to: gateway.http, cutting: (plan.seed, 1...plan.largest))
    try proxy.start()
    defer { proxy.stop() }
    let (cut, direct) = try (
      GatewayAPI.withShortDelays(proxy.address), GatewayAPI.withShortDelays(gateway.http)
    )
    var expected: [UUID: String] = [:]
    var round = plan.seed
    while proxy.cuts < 200 {
      round += 1
      let contents = [1, plan.largest / 2, plan.largest * 2, plan.largest * 7, plan.largest * 10].map {
        (UUID(), TestContent.bytes($0, seed: round &* 31 &+ UInt64($0)))
      }
      try await withThrowingTaskGroup { group in
        for (id, content) in contents {
          expected[id] = TestContent.digest(content)
          group.addTask {
            let upload = try await cut.add(
              NewAttachment(id: id, contentType: "application/x-test", metadata: nil, content: content),
              to: session, as: nil)
            try await upload.finish()
            let listed = try await direct.attachments(of: session).first { $0.id == id }
            let object = try #require(listed, "\(plan)")
            #expect(object.state == .ready && object.sha256 == TestContent.digest(content), "\(plan)")
            #expect(try await cut.load(object, of: session) == content, "\(plan)")
          }
        }
        try await group.waitForAll()
      }
    }
    let listed = try await direct.attachments(of: session)
    #expect(listed.count == expected.count, "\(plan)")
    for object in listed {
      #expect(object.state == .ready && object.sha256 == expected[object.id], "\(plan)")
    }
  }

  @Test("Over TLS too, uploads and downloads continue after lost connections")
  func cutsOverTLS() async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let proxy = try CuttingProxy(to: gateway.https, cutting: (13, 3_000...150_000))
    try proxy.start()
    defer { proxy.stop() }
    let plain = try GatewayAPI.withShortDelays(gateway.http)
    let address = try LocalGateway.address(
      of: proxy.address, isSecure: true, certificates: gateway.certificates)
    let api = GatewayAPI(address, timeouts: plain.timeouts, cache: plain.cache)
    let content = TestContent.bytes(1_000_000, seed: 13)
    let object = try await api.put(content, to: session)
    #expect(try await api.load(object, of: session) == content)
    #expect(proxy.cuts > 5)
  }

  @Test("An upload continues after a restart of the gateway", arguments: LocalGateway.End.allCases)
  func restart(end: LocalGateway.End) async throws {
    var gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let proxy = try CuttingProxy(to: gateway.http)
    try proxy.start()
    defer { proxy.stop() }
    let api = try GatewayAPI.withShortDelays(proxy.address)
    let content = TestContent.bytes(20_000_000, seed: 5)
    proxy.hold(after: 1_000_000)
    let upload = try await api.add(
      NewAttachment(name: "a.bin", contentType: "application/x-test", metadata: nil, content: content),
      to: session, as: nil)
    let direct = try GatewayAPI.withShortDelays(gateway.http)
    try await TestTimeout.wait(for: "the first bytes") {
      try await direct.attachments(of: session).contains { $0.offset > 0 }
    }
    gateway = try gateway.restart(end)
    proxy.turn(to: gateway.http)
    proxy.release()
    try await upload.finish()
    // The creation and the first transfer used one connection each; the continuation takes at least two more.
    #expect(proxy.connections >= 4)
    let object = try #require(try await api.attachments(of: session).first)
    #expect(object.sha256 == TestContent.digest(content) && object.id == upload.attachment.id)
  }

  @Test(
    "If a server ignores the Range of a continued download, the whole content of its 200 response is used")
  func noRanges() async throws {
    let content = TestContent.bytes(300_000, seed: 3)
    let requests = Guarded<[String]>([])
    let server = try ScriptedServer { number, stream in
      var head = ""
      while !head.hasSuffix("\r\n\r\n") { head += String(decoding: try stream.receive(), as: UTF8.self) }
      requests.withLock { $0.append(head) }
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8)
      try stream.send(answer + (number == 0 ? content.prefix(100_000) : content))
    }
    defer { server.stop() }
    let api = try GatewayAPI.withShortDelays(server.address)
    let object = try Self.object(content, sha256: TestContent.digest(content))
    #expect(try await api.load(object, of: SessionID(high: 1, low: 2)) == content)
    let heads = requests.withLock { $0 }
    #expect(heads.count == 2)
    #expect(!heads[0].contains("Range"))
    #expect(heads[1].contains("Range: bytes=100000-\r\n"))
    #expect(heads[1].contains("If-Range: \"\(TestContent.digest(content))\"\r\n"))
  }

  @Test(
    "Content with a wrong SHA-256 is downloaded once more; a second wrong SHA-256 is an error",
    arguments: [1, 2])
  func otherBytes(wrongTimes: Int) async throws {
    let content = TestContent.bytes(1000, seed: 3)
    let server = try ScriptedServer { number, stream in
      _ = try stream.receive()
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8)
      try stream.send(answer + (number < wrongTimes ? TestContent.bytes(1000, seed: 4) : content))
    }
    defer { server.stop() }
    let api = try GatewayAPI.withShortDelays(server.address)
    let object = try Self.object(content, sha256: TestContent.digest(content))
    if wrongTimes == 1 {
      #expect(try await api.load(object, of: SessionID(high: 1, low: 2)) == content)
    } else {
      let failure = try await #require(throws: SessionClientError.self) {
        try await api.load(object, of: SessionID(high: 1, low: 2))
      }
      #expect(failure.description.contains("its SHA-256 was wrong in two downloads"))
    }
    #expect(server.count == 2)
  }

  @Test("An attachment of the maximum size is uploaded and downloaded")
  func large() async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let api = try GatewayAPI.withShortDelays(gateway.http)
    let path = gateway.folder + "/large.bin"
    try TestContent.bytes(104_857_600, seed: 9).write(to: URL(filePath: path))
    // The file is memory-mapped, and never copied as a whole.
    let content = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
    let object = try await api.put(content, to: session)
    #expect(object.size == 104_857_600)
    #expect(try await api.load(object, of: session) == content)
  }

  static func object(_ content: Data, sha256: String?) throws -> AttachmentObject {
    AttachmentObject(
      id: UUID(), name: "a", contentType: "text/plain", size: UInt64(content.count), sha256: sha256,
      metadata: nil, participant: nil, state: .ready, offset: UInt64(content.count),
      createdAt: Date(timeIntervalSince1970: 0), url: "")
  }
}
