import FoundationEssentials
import Testing
import Networking
import Platform
import Wire

@testable import SessionClient

/// Cancelled requests release their resources.
@Suite("Requests, uploads and downloads can be cancelled")
struct CancellationTests {
  /// Waits until a test's requests have closed their sockets and ended their threads.
  private static func expectNothing(of address: SocketAddress, _ threads: RequestThreadPool) async throws {
    try await TestTimeout.wait(for: "the sockets to be closed") {
      try ProcessResources.sockets(to: address.port) == 0
    }
    try await TestTimeout.wait(for: "the threads to end") { threads.count == 0 }
  }

  @Test("A cancelled upload leaves no attachment, no descriptor and no thread")
  func upload() async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let proxy = try CuttingProxy(to: gateway.http)
    try proxy.start()
    defer { proxy.stop() }
    let threads = RequestThreadPool(limit: 8, transferLimit: 6)
    let api = try GatewayAPI.withShortDelays(proxy.address, threads: threads)
    let direct = try GatewayAPI.withShortDelays(gateway.http)
    proxy.hold(after: 1_000_000)
    let upload = try await api.add(
      NewAttachment(
        contentType: "text/plain", metadata: nil, content: TestContent.bytes(20_000_000, seed: 1)),
      to: session, as: nil)
    try await TestTimeout.wait(for: "the first bytes") {
      try await direct.attachments(of: session).contains { $0.offset > 0 }
    }
    let waiting = Task { try await upload.finish() }
    upload.cancel()
    await #expect(throws: SessionClientError.cancelled) { try await waiting.value }
    await #expect(throws: SessionClientError.cancelled) { try await upload.finish() }
    proxy.release()
    try await TestTimeout.wait(for: "the removal of the attachment") {
      try await api.attachments(of: session).isEmpty
    }
    try await Self.expectNothing(of: gateway.http, threads)
  }

  @Test("Cancelling a task that waits for an upload does not cancel the upload")
  func waiter() async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let api = try GatewayAPI.withShortDelays(gateway.http)
    let content = TestContent.bytes(20_000_000, seed: 1)
    let upload = try await api.add(
      NewAttachment(contentType: "text/plain", metadata: nil, content: content), to: session, as: nil)
    let waiting = Task { try await upload.finish() }
    waiting.cancel()
    // The wait throws `cancelled`, unless the upload was complete before.
    _ = await waiting.result
    try await upload.finish()
    upload.cancel()
    #expect(try await api.attachments(of: session).first?.sha256 == TestContent.digest(content))
  }

  @Test("A request to a server that does not respond ends immediately when it is cancelled")
  func silent() async throws {
    let listener = try Listener(on: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0))
    let threads = RequestThreadPool(limit: 4, transferLimit: 2)
    let api = try GatewayAPI.withShortDelays(listener.address, threads: threads)
    let session = SessionID(high: 1, low: 2)
    let object = try InterruptedTransferTests.object(Data([1]), sha256: TestContent.digest(Data([1])))
    let asks: [@Sendable () async throws -> Void] = [
      { _ = try await api.load(object, of: session) },
      { _ = try await api.session(session) },
    ]
    let tasks = (asks + asks + asks + asks).map { ask in Task { try await ask() } }
    try await TestTimeout.wait(for: "four requests, the limit of the thread pool") { threads.count == 4 }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: SessionClientError.cancelled) { try await task.value } }
    try await TestTimeout.wait(for: "the threads to end") { threads.count == 0 }
  }

  @Test("If an upload is cancelled during its creation request, the client removes the attachment")
  func creation() async throws {
    let token = Token(high: 1, low: 2)
    let heads = Guarded<[String]>([])
    let server = try ScriptedServer { number, stream in
      let head = try InvalidServerTests.readHead(stream)
      let names = head.contains("Participant-Token: \(token.text)\r\n") ? " by its participant" : ""
      heads.withLock { $0.append(head.prefix { $0 != " " } + names) }
      if number > 0 { try stream.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)) }
      try stream.drain()
    }
    defer { server.stop() }
    let threads = RequestThreadPool(limit: 4, transferLimit: 2)
    let api = try GatewayAPI.withShortDelays(server.address, threads: threads)
    let adding = Task {
      let content = NewAttachment(
        contentType: "text/plain", metadata: nil, content: TestContent.bytes(9, seed: 1))
      _ = try await api.add(content, to: SessionID(high: 1, low: 2), as: token)
    }
    try await TestTimeout.wait(for: "the creation") { heads.withLock { $0.count } == 1 }
    adding.cancel()
    await #expect(throws: SessionClientError.cancelled) { try await adding.value }
    try await TestTimeout.wait(for: "the removal of the attachment") {
      heads.withLock { $0 } == ["POST by its participant", "DELETE by its participant"]
    }
    try await Self.expectNothing(of: server.address, threads)
  }

  @Test("While some transfers stall, one thread stays free for short requests")
  func lanes() async throws {
    let gateway = try LocalGateway()
    let session = try await gateway.makeSession()
    let threads = RequestThreadPool(limit: 3, transferLimit: 2)
    let listener = try Listener(on: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0))
    let silent = try GatewayAPI.withShortDelays(listener.address, threads: threads)
    // There are five attachments, because concurrent requests for the same attachment share a download.
    let objects = try (0..<5).map { _ in try InterruptedTransferTests.object(Data([1]), sha256: nil) }
    let stalled = objects.map { object in Task { _ = try await silent.load(object, of: session) } }
    try await TestTimeout.wait(for: "the transfers to have their threads") { threads.count == 2 }
    let api = try GatewayAPI.withShortDelays(gateway.http, threads: threads)
    #expect(try await api.session(session).id == session)
    for task in stalled { task.cancel() }
    // The upload and the download below wait until a transfer thread is free.
    let content = TestContent.bytes(300_000, seed: 2)
    let found = try await api.put(content, to: session)
    #expect(try await api.load(found, of: session) == content)
  }
}
