import FoundationEssentials
import Glibc
import Testing
import Platform
import Wire

@testable import SessionClient

/// A new temporary folder, removed in `deinit`.
private final class Folder: Sendable {
  private let name = "drawtogether-contents-\(UUID().uuidString)"
  var path: String { "\(FileManager.default.temporaryDirectory.path)/\(name)" }

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that cannot be removed stays among the temporary files.
    try? FileManager.default.removeItem(atPath: path)
  }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? ["no folder"] }

  /// Returns the lines of `/proc/self/maps` that name files of the folder.
  func mappings() throws -> [Substring] {
    try ProcessResources.lines(of: "/proc/self/maps").filter { $0.contains(name) }
  }
}

/// The permission bits and the number of hard links of an open file.
private struct Information {
  let mode: UInt32
  let names: Int

  init?(of descriptor: CInt) {
    var found = stat()
    guard unsafe fstat(descriptor, &found) == 0 else { return nil }
    mode = UInt32(found.st_mode) & 0o777
    names = Int(found.st_nlink)
  }
}

/// The cache of downloaded contents: the same content is downloaded only once.
@Suite("The content cache downloads the same content only once")
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
      uploader = try GatewayAPI.withShortDelays(gateway.http)
    }

    func api(_ cache: ContentCache) throws -> GatewayAPI {
      try GatewayAPI.withShortDelays(proxy.address, cache: cache)
    }
  }

  @Test("Ten concurrent loads of an attachment, and later loads of the same content, share one download")
  func once() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let content = TestContent.bytes(5_000_000, seed: 1)
    let object = try await room.uploader.put(content, to: room.session)
    let api = try room.api(ContentCache(limit: 64 << 20, itemLimit: 16 << 20))
    try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<10 { group.addTask { try await api.load(object, of: room.session) } }
      for try await loaded in group { #expect(loaded == content) }
    }
    #expect(try await api.load(object, of: room.session) == content)
    // Another attachment with the same content.
    let same = try await room.uploader.put(content, to: room.session)
    #expect(try await api.load(same, of: room.session) == content)
    #expect(room.proxy.connections == 1)
  }

  @Test("Content that this client uploaded is loaded from the cache, without a request")
  func own() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let api = try room.api(ContentCache(limit: 64 << 20, itemLimit: 16 << 20))
    let content = TestContent.bytes(10_000, seed: 2)
    let object = try await api.put(content, to: room.session)
    let before = room.proxy.connections
    #expect(try await api.load(object, of: room.session) == content)
    #expect(room.proxy.connections == before)
  }

  @Test("The least recently used content is evicted first, and content above the item limit is not cached")
  func limits() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let api = try room.api(ContentCache(limit: 3000, itemLimit: 1000))
    var objects: [AttachmentObject] = []
    for seed in 0..<4 {
      objects.append(
        try await room.uploader.put(TestContent.bytes(1000, seed: UInt64(seed)), to: room.session))
    }
    for index in [0, 1, 2, 0, 3, 0] { _ = try await api.load(objects[index], of: room.session) }
    #expect(room.proxy.connections == 4)
    _ = try await api.load(objects[1], of: room.session)
    #expect(room.proxy.connections == 5)
    let large = try await room.uploader.put(TestContent.bytes(1001, seed: 9), to: room.session)
    for _ in 0..<2 { _ = try await api.load(large, of: room.session) }
    #expect(room.proxy.connections == 7)
  }

  @Test(
    "If all large contents are loaded again after each new attachment, each content is downloaded only once")
  func largeOnce() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let folder = try Folder()
    let cache = ContentCache(
      limit: 100_000, itemLimit: 50_000, files: ContentFiles(folders: [folder.path]), fileLimit: 10_000_000)
    let api = try room.api(cache)
    var objects: [AttachmentObject] = []
    for seed in 0..<6 as Range<UInt64> {
      objects.append(try await room.uploader.put(TestContent.bytes(1_000_000, seed: seed), to: room.session))
      // Apple's sample does the same in its journal task: after each change, it loads all attachments concurrently.
      try await withThrowingTaskGroup(of: (UInt64, Data).self) { group in
        for (index, object) in objects.enumerated() {
          group.addTask { (UInt64(index), try await api.load(object, of: room.session)) }
        }
        for try await (seed, loaded) in group { #expect(loaded == TestContent.bytes(1_000_000, seed: seed)) }
      }
    }
    #expect(room.proxy.connections == 6)
    #expect(folder.names == [])
  }

  @Test("Contents evicted from memory are kept in files, and the least recently used file is evicted first")
  func displaced() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let folder = try Folder()
    let files = ContentFiles(folders: [folder.path])
    let api = try room.api(ContentCache(limit: 2000, itemLimit: 1000, files: files, fileLimit: 3000))
    var objects: [AttachmentObject] = []
    for seed in 0..<6 as Range<UInt64> {
      objects.append(try await room.uploader.put(TestContent.bytes(1000, seed: seed), to: room.session))
    }
    // Of the five contents, two fit into memory and three into files.
    for index in [0, 1, 2, 3, 4, 4, 3, 2, 1, 0] { _ = try await api.load(objects[index], of: room.session) }
    #expect(room.proxy.connections == 5)
    _ = try await api.load(objects[5], of: room.session)
    #expect(room.proxy.connections == 6)
    // The fifth content is the least recently used.
    for index in [0, 1, 2, 3, 5] { _ = try await api.load(objects[index], of: room.session) }
    #expect(room.proxy.connections == 6)
    _ = try await api.load(objects[4], of: room.session)
    #expect(room.proxy.connections == 7)
  }

  @Test("Large content that this client uploaded is loaded from a file of the cache, without a request")
  func ownLarge() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let files = ContentFiles(folders: [FileManager.default.temporaryDirectory.path])
    let api = try room.api(ContentCache(limit: 1000, itemLimit: 1000, files: files, fileLimit: 1 << 20))
    let content = TestContent.bytes(100_000, seed: 4)
    let object = try await api.put(content, to: room.session)
    let before = room.proxy.connections
    #expect(try await api.load(object, of: room.session) == content)
    #expect(room.proxy.connections == before)
  }

  @Test("Without a writable folder for large contents, each load returns the content after a new download")
  func noFiles() async throws {
    let room = try await Room()
    defer { room.proxy.stop() }
    let files = ContentFiles(folders: ["/proc/no/such/folder"])
    let api = try room.api(ContentCache(limit: 0, itemLimit: 0, files: files, fileLimit: 1 << 20))
    let object = try await room.uploader.put(TestContent.bytes(10_000, seed: 5), to: room.session)
    for _ in 0..<2 {
      #expect(try await api.load(object, of: room.session) == TestContent.bytes(10_000, seed: 5))
    }
    #expect(room.proxy.connections == 2)
  }

  @Test("A cache file has mode 0600 and no name, and is freed when its last memory mapping is released")
  func unnamedFiles() throws {
    let folder = try Folder()
    let files = ContentFiles(folders: ["/proc/no/such/folder", folder.path])
    let content = TestContent.bytes(300_000, seed: 6)
    var stored = try #require(files.store(content))
    #expect(stored == content && folder.names == [])
    let mapped = try #require(try folder.mappings().first)
    #expect(mapped.contains("(deleted)") && mapped.contains("rw-p"))
    // A change of the returned bytes must not change the file.
    stored[0] ^= 1
    #expect(stored != content && stored.dropFirst() == content.dropFirst())
    stored = Data()
    #expect(try folder.mappings() == [])
    let file = try ContentFiles.unnamedFile(in: folder.path)
    let information = try #require(Information(of: file.rawValue))
    #expect(information.mode == 0o600 && information.names == 0)
  }

  @Test("Concurrent requests for an attachment without a digest share one download")
  func withoutDigest() async throws {
    let content = TestContent.bytes(100_000, seed: 7)
    let isReleased = Guarded(false)
    let server = try ScriptedServer { _, stream in
      _ = try stream.receive()
      try TestTimeout.block(until: "the test to release it") { isReleased.withLock { $0 } }
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8)
      try stream.send(answer + content)
    }
    defer { server.stop() }
    let cache = ContentCache(limit: 1 << 20, itemLimit: 1 << 20)
    let api = try GatewayAPI.withShortDelays(server.address, cache: cache)
    let object = try InterruptedTransferTests.object(content, sha256: nil)
    let tasks = (0..<3).map { _ in Task { try await api.load(object, of: SessionID(high: 1, low: 2)) } }
    try await TestTimeout.wait(for: "all three loads to wait") { cache.waiters == 3 }
    isReleased.withLock { $0 = true }
    for task in tasks { #expect(try await task.value == content) }
    #expect(server.count == 1)
  }

  @Test(
    "Cancelling one of several loads does not affect the others; cancelling the only load cancels the download"
  )
  func leaving() async throws {
    let content = TestContent.bytes(100_000, seed: 3)
    let isReleased = Guarded(false)
    let server = try ScriptedServer { _, stream in
      _ = try stream.receive()
      try TestTimeout.block(until: "the test to release it") { isReleased.withLock { $0 } }
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8)
      try stream.send(answer + content)
    }
    defer { server.stop() }
    let threads = RequestThreadPool(limit: 8, transferLimit: 6)
    let cache = ContentCache(limit: 1 << 20, itemLimit: 1 << 20)
    let api = try GatewayAPI.withShortDelays(server.address, cache: cache, threads: threads)
    let object = try InterruptedTransferTests.object(content, sha256: TestContent.digest(content))
    let session = SessionID(high: 1, low: 2)
    let tasks = (0..<3).map { _ in Task { try await api.load(object, of: session) } }
    try await TestTimeout.wait(for: "the request") { server.count == 1 }
    tasks[0].cancel()
    await #expect(throws: SessionClientError.cancelled) { try await tasks[0].value }
    isReleased.withLock { $0 = true }
    for task in tasks.dropFirst() { #expect(try await task.value == content) }
    #expect(server.count == 1)

    isReleased.withLock { $0 = false }
    let other = try InterruptedTransferTests.object(content, sha256: TestContent.digest(Data([1])))
    let last = Task { try await api.load(other, of: session) }
    try await TestTimeout.wait(for: "the request") { server.count == 2 }
    last.cancel()
    await #expect(throws: SessionClientError.cancelled) { try await last.value }
    try await TestTimeout.wait(for: "the thread to end") { threads.count == 0 }
    isReleased.withLock { $0 = true }
  }
}
