import FoundationEssentials
import Glibc
import HTTP
import Networking
import Platform
import Primitives
@testable import SessionCore
import Testing
import WebSocket
import Wire

@testable import Gateway

/// One HTTP connection over a pair of descriptors, without a network or an event loop.
@Suite("An HTTP connection answers its requests in their order, and can be moved to another reactor")
struct HTTPConnectionTests {
  @Test("Requests that arrive together are answered in their order")
  func pipelined() async throws {
    let worker = try HTTPWorker()
    await worker.send("GET /api/limits HTTP/1.1\r\nHost: a\r\n\r\nGET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
    let answers = await worker.received
    let first = try #require(answers.firstRange(of: "\"attachmentBytes\""))
    let second = try #require(answers.firstRange(of: "{\"status\":\"ready\"}"))
    #expect(first.lowerBound < second.lowerBound)
    #expect(await worker.isActive)
  }

  @Test("A request that arrives in pieces is answered when its last byte has arrived")
  func pieces() async throws {
    let worker = try HTTPWorker()
    await worker.send("GET /readyz HTT")
    await worker.send("P/1.1\r\nHost: a\r\n\r")
    #expect(await worker.received.isEmpty)
    await worker.send("\n")
    #expect(await worker.received.hasPrefix("HTTP/1.1 200"))
  }

  @Test("A malformed request is answered with 400, and the connection reads no more requests")
  func malformed() async throws {
    let worker = try HTTPWorker()
    await worker.send("GET / HTTP/1.1\r\n\r\n")
    let answer = await worker.received
    #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("\r\nConnection: close\r\n"))
    #expect(await !worker.isActive)
  }

  @Test(
    "A request for a new session is answered after its body was read, and the session in the response is in memory"
  )
  func creation() async throws {
    let worker = try HTTPWorker()
    let body = "{\"identifier\":\"drawtogether\",\"title\":\"T\",\"type\":\"generic\"}"
    await worker.send(
      "POST /api/sessions HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    )
    #expect(await worker.received == "HTTP/1.1 100 Continue\r\n\r\n")
    await worker.send(body)
    let answer = await worker.received
    #expect(answer.hasPrefix("HTTP/1.1 201"))
    let location = try #require(answer.firstRange(of: "\r\nLocation: /api/sessions/"))
    let id = try #require(SessionID(String(answer[location.upperBound...].prefix { !$0.isNewline })))
    #expect(await worker.holds(id))
    await worker.send("GET /api/sessions/\(id.text) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await worker.received.hasPrefix("HTTP/1.1 200"))
  }

  @Test("An attachment is uploaded over a connection and read over the same connection, whole and in part")
  func attachment() async throws {
    let worker = try HTTPWorker()
    let path = "/api/sessions/\(try await worker.makeSession())/attachments"
    await worker.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nabcd")
    #expect(await worker.received.isEmpty)
    await worker.send("efgh")
    let added = await worker.received
    #expect(added.hasPrefix("HTTP/1.1 201"))
    let field = try #require(added.firstRange(of: "\r\nLocation: "))
    let location = added[field.upperBound...].prefix { !$0.isNewline }
    await worker.send("GET \(location) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await worker.received.hasSuffix("\r\n\r\nabcdefgh"))
    await worker.send("GET \(location) HTTP/1.1\r\nHost: a\r\nRange: bytes=2-3\r\n\r\n")
    let part = await worker.received
    #expect(part.hasPrefix("HTTP/1.1 206") && part.hasSuffix("\r\n\r\ncd"))
    await worker.send("HEAD \(location) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await worker.received.hasSuffix("\r\n\r\n"))
  }

  @Test(
    "A request for a session of another reactor transfers the connection and the bytes after the request head"
  )
  func handover() async throws {
    let worker = try HTTPWorker(reactors: 2)
    let other = SessionID(high: 0, low: 1)
    await worker.send(
      "POST /api/sessions/\(other.text)/attachments HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
    #expect(await worker.transferred == ["1: abc"])
    #expect(await !worker.isOpen)
    #expect(await worker.received.isEmpty)
  }

  @Test(
    "A connection stays on the reactor that creates its first session; for the next session, it moves to a reactor with less load"
  )
  func placement() async throws {
    let worker = try HTTPWorker(reactors: 2)
    _ = try await worker.makeSession()
    #expect(await worker.transferred.isEmpty)
    #expect(await worker.isActive)
    let head = "POST /api/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: "
    // A request that is refused is not transferred.
    await worker.send("\(head)1\r\n\r\n{")
    #expect(await worker.received.hasPrefix("HTTP/1.1 400"))
    await worker.send("\(head)2\r\n\r\n{")
    #expect(await worker.transferred.isEmpty)
    await worker.send("}GET /")
    #expect(await worker.transferred == ["1: GET /"])
    #expect(await !worker.isOpen)
    #expect(await worker.received.isEmpty)
  }

  @Test("While the gateway drains, a session is created without a transfer of the connection")
  func placementWhileDraining() async throws {
    let worker = try HTTPWorker(reactors: 2)
    _ = try await worker.makeSession()
    await worker.send("POST /api/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
    await worker.drain()
    await worker.send("}")
    #expect(await worker.received.hasPrefix("HTTP/1.1 201"))
    #expect(await worker.transferred.isEmpty)
  }

  @Test("A valid handshake opens a WebSocket, and an invalid one is refused")
  func upgrade() async throws {
    func handshake(key: String) -> String {
      "GET /api/sessions/\(SessionID(high: 1, low: 2).text)/socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
        + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n\r\n"
    }
    let valid = try HTTPWorker()
    await valid.send(handshake(key: "dGhlIHNhbXBsZSBub25jZQ=="))
    #expect(await valid.received.hasPrefix("HTTP/1.1 101"))
    #expect(await valid.isWebSocket)
    let invalid = try HTTPWorker()
    await invalid.send(handshake(key: "short"))
    #expect(await invalid.received.hasPrefix("HTTP/1.1 400"))
    #expect(await !invalid.isWebSocket)
  }

  @Test("A request head that is not complete in time is answered with 408, and a silent connection is closed")
  func deadlines() async throws {
    let worker = try HTTPWorker()
    await worker.send("GET /readyz HTTP/1.1\r\n")
    await worker.sweep(after: .seconds(3600))
    #expect(await worker.received.hasPrefix("HTTP/1.1 408"))
    let silent = try HTTPWorker()
    await silent.sweep(after: .seconds(3600))
    #expect(await !silent.isOpen)
    #expect(await silent.received.isEmpty)
  }

  @Test(
    "A drain closes an idle connection immediately, and a connection in use after the response to its request"
  )
  func draining() async throws {
    let idle = try HTTPWorker()
    await idle.drain()
    #expect(await !idle.isOpen)
    let busy = try HTTPWorker()
    await busy.send("POST /api/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
    await busy.drain()
    #expect(await busy.isActive)
    await busy.send("x")
    let answer = await busy.received
    #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("\r\nConnection: close\r\n"))
    #expect(await !busy.isActive)
  }
}

private final class Transfers: Sendable {
  let all = Guarded<[String]>([])
}

/// The HTTP service of a reactor with one connection, on a thread of its own. The client's end is a descriptor.
private actor HTTPWorker {
  private let gateway: Gateway
  private let folder: String
  private let clock = LoopClock(MonotonicTime(nanoseconds: 1_000_000_000_000))
  private let tasks = LoopTasks()
  private let io: ConnectionIO
  private let sessions: SessionTable
  private let service: HTTPService
  private let connection: Connection
  private let client: OwnedDescriptor
  /// The number of tasks that have not ended.
  private var running = 0
  /// The connections that were transferred: the reactor that gets each one, and the bytes that are transferred with it.
  private let transfers = Transfers()

  init(reactors: Int = 1) throws {
    folder = FileManager.default.temporaryDirectory.path + "/drawtogether-http-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/public", withIntermediateDirectories: true)
    try Data("page".utf8).write(to: URL(filePath: folder + "/public/index.html"))
    var configuration = GatewayConfiguration()
    configuration.https = nil
    configuration.dataDirectory = folder + "/data"
    configuration.publicDirectory = folder + "/public"
    configuration.durability = .memory
    configuration.reactors = reactors
    // The gateway is never started: only its files and their threads are used, and no socket is opened.
    gateway = try Gateway(
      configuration: configuration,
      log: Log(level: .error, format: .text, clock: { LogTime.now }, output: { _ in }))
    let (shared, limits, budget) = (gateway.shared, configuration.limits, TurnBudget())
    let counters = ReactorCounters()
    let logger = GatewayLogger(shared.log, counters: counters, clock: clock)
    let persister = Persister(
      shared.persistence, reactor: 0, clock: clock, tasks: tasks, counters: counters)
    io = ConnectionIO(
      table: ConnectionTable(watch: { _, _ in }), counts: shared.connectionCounts,
      handshakes: HandshakeTable(capacity: 1), readQueue: ReadQueue(), writeQueue: WriteQueue(budget),
      clock: clock, counters: counters, logger: logger)
    let broadcaster = Broadcaster(
      FanOut(io, clock: clock, counters: counters), persister: persister, memory: shared.memory,
      stopState: shared.stopState, flushInterval: configuration.flushInterval, clock: clock,
      counters: counters, log: shared.log)
    let deflater = Deflater(level: 1)
    let compressor = CatchUpCompressor(deflater)
    let sockets = WebSocketService(
      io, broadcaster, budget: budget, deflater: deflater, compressor: compressor, limits: limits,
      clock: clock, counters: counters, logger: logger)
    let uploads = UploadService(
      shared.uploadEnvironment, reactor: 0, clock: clock, tasks: tasks, persister: persister, logger: logger,
      counters: counters)
    sessions = SessionTable(
      shared.sessionEnvironment, persister: persister, broadcaster: broadcaster, sockets: sockets,
      uploads: uploads, compressor: compressor, tasks: tasks, clock: clock, counters: counters)
    let environment = shared.httpEnvironment
    service = HTTPService(
      HTTPService.Environment(
        configuration: configuration, log: shared.log, files: environment.files,
        proxyWarnings: environment.proxyWarnings, networkLinks: environment.networkLinks,
        downloads: environment.downloads, history: environment.history,
        monitoring: environment.monitoring, stopState: shared.stopState, endpoints: environment.endpoints,
        loads: environment.loads, owner: environment.owner,
        handOver: { [transfers] transfer, reactor in
          let input = String(decoding: transfer.input, as: UTF8.self)
          transfers.all.withLock { $0.append("\(reactor): \(input)") }
          return true
        },
        evict: environment.evict),
      reactor: 0, io, sessions,
      SessionCreation(
        shared.creationEnvironment, reactor: 0, sessions, clock: clock, counters: counters),
      uploads, MetricsPublisher(shared.board, reactor: 0, clock: clock, counters: counters), clock: clock,
      tasks: tasks, counters: counters, logger: logger)
    var ends: [CInt] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0
    else {
      throw SystemError("socketpair", code: errno)
    }
    client = OwnedDescriptor(owning: ends[1])
    let service = service
    connection = try #require(
      io.open(
        OwnedDescriptor(owning: ends[0]), peer: SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 1),
        tls: nil, deadline: clock.now + .seconds(10)
      ) { service.makeHandler(of: $0) })
  }

  deinit {
    gateway.shared.setReactors([])
    _ = gateway.shared.fileThreads.stop(within: .seconds(1))
    try? FileManager.default.removeItem(atPath: folder)
  }

  var transferred: [String] { transfers.all.withLock { $0 } }
  /// True while the connection speaks HTTP.
  var isActive: Bool { connection.handler is HTTPConnection }
  var isWebSocket: Bool { connection.handler?.isWebSocket ?? false }
  var isOpen: Bool { io.table.isOpen(connection) }

  /// The bytes that the client has received since the last call.
  var received: String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(client.rawValue, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  /// Passes bytes of the client to the connection, like a reactor that has read them.
  func send(_ text: String) async {
    var bytes = Array(text.utf8)
    connection.handler?.receive(&bytes, from: 0, upTo: bytes.count)
    await settle()
  }

  func sweep(after duration: Duration) {
    clock.set(clock.now + duration)
    io.performDueChecks()
  }

  func drain() {
    gateway.shared.stopState.isDraining = true
    connection.handler?.drain()
  }

  /// Creates a session by a request.
  ///
  /// - Returns: the id of the session.
  func makeSession() async throws -> String {
    let body = "{\"identifier\":\"drawtogether\",\"title\":\"T\",\"type\":\"generic\"}"
    await send("POST /api/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let answer = received
    let field = try #require(answer.firstRange(of: "\r\nLocation: /api/sessions/"))
    return String(answer[field.upperBound...].prefix { !$0.isNewline })
  }

  /// Returns true if a session is in memory.
  func holds(_ id: SessionID) -> Bool { sessions[id] != nil }

  /// Runs the tasks of the service, and reads deferred input, until nothing is left.
  private func settle() async {
    while true {
      for work in tasks.takeAll() {
        running += 1
        Task { await run(work) }
      }
      if !connection.isReadingPaused, !connection.deferredInput.isEmpty {
        var deferred = connection.takeDeferredInput()
        connection.isQueuedForReading = false
        connection.handler?.receive(&deferred, from: 0, upTo: deferred.count)
      } else if running == 0 {
        return
      }
      await Task.yield()
    }
  }

  private func run(_ work: LoopTasks.Work) async {
    await work()
    running -= 1
  }
}
