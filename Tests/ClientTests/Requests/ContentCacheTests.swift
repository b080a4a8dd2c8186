import FoundationEssentials
import Testing
import Transport
import Wire

@testable import Client

/// Seed 004: the same data is not downloaded more than once.
@Suite("Contents that are kept")
struct ContentCacheTests {
  private struct Room {
    let gateway: LocalGateway
    let session: SessionID
    let proxy: CuttingProxy
    let uploader: GatewayAPI

    init() async throws {
      gateway = try LocalGateway()
      session = try await gateway.makeSession()
      proxy = try CuttingProxy(to: gateway.http)
      try proxy.start()
      uploader = try GatewayAPI.quick(gateway.http)
    }

    func api(_ cache: ContentCache) throws -> GatewayAPI { try GatewayAPI.quick(proxy.address, cache: cache) }
  }

  @Test("Ten who ask at once, and those after them, are served by one request")
  func once() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let content = Content.bytes(5_000_000, seed: 1)
    let object = try await room.uploader.put(content, to: room.session)
    let api = try room.api(ContentCache(limit: 64 << 20, itemLimit: 16 << 20))
    try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<10 { group.addTask { try await api.load(object, of: room.session) } }
      for try await loaded in group { #expect(loaded == content) }
    }
    #expect(try await api.load(object, of: room.session) == content)
    // Another attachment of the same bytes.
    let same = try await room.uploader.put(content, to: room.session)
    #expect(try await api.load(same, of: room.session) == content)
    #expect(room.proxy.connections == 1)
  }

  @Test("Who adds a content reads it without a request")
  func own() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let api = try room.api(ContentCache(limit: 64 << 20, itemLimit: 16 << 20))
    let content = Content.bytes(10_000, seed: 2)
    let object = try await api.put(content, to: room.session)
    let before = room.proxy.connections
    #expect(try await api.load(object, of: room.session) == content)
    #expect(room.proxy.connections == before)
  }

  @Test("What was used longest ago goes first, and what is large is not kept")
  func limits() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let api = try room.api(ContentCache(limit: 3000, itemLimit: 1000))
    var objects: [AttachmentObject] = []
    for seed in 0..<4 {
      objects.append(
        try await room.uploader.put(Content.bytes(1000, seed: UInt64(seed)), to: room.session))
    }
    for index in [0, 1, 2, 0, 3, 0] { _ = try await api.load(objects[index], of: room.session) }
    #expect(room.proxy.connections == 4)
    _ = try await api.load(objects[1], of: room.session)
    #expect(room.proxy.connections == 5)
    let large = try await room.uploader.put(Content.bytes(1001, seed: 9), to: room.session)
    for _ in 0..<2 { _ = try await api.load(large, of: room.session) }
    #expect(room.proxy.connections == 7)
  }

  @Test("One of several who wait goes, and the others are served; when all have gone, nothing is fetched")
  func leaving() async throws {
    let content = Content.bytes(100_000, seed: 3)
    let isReleased = Guarded(false)
    let server = try ScriptedServer { _, stream in
      _ = try stream.receive()
      try Patience.block(until: "the test") { isReleased.withLock { $0 } }
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8)
      try stream.send(answer + content)
    }
    defer { server.stop() }
    let threads = RequestThreads(limit: 8, transferLimit: 6)
    let cache = ContentCache(limit: 1 << 20, itemLimit: 1 << 20)
    let api = try GatewayAPI.quick(server.address, cache: cache, threads: threads)
    let object = try CutRequestTests.object(content, sha256: Content.digest(content))
    let session = SessionID(high: 1, low: 2)
    let tasks = (0..<3).map { _ in Task { try await api.load(object, of: session) } }
    try await Patience.wait(for: "the request") { server.count == 1 }
    tasks[0].cancel()
    await #expect(throws: RequestFailure.cancelled) { try await tasks[0].value }
    isReleased.withLock { $0 = true }
    for task in tasks.dropFirst() { #expect(try await task.value == content) }
    #expect(server.count == 1)

    isReleased.withLock { $0 = false }
    let other = try CutRequestTests.object(content, sha256: Content.digest(Data([1])))
    let last = Task { try await api.load(other, of: session) }
    try await Patience.wait(for: "the request") { server.count == 2 }
    last.cancel()
    await #expect(throws: RequestFailure.cancelled) { try await last.value }
    try await Patience.wait(for: "the thread to end") { threads.count == 0 }
    isReleased.withLock { $0 = true }
  }
}
