import FoundationEssentials
import Glibc
import Networking
import Platform
import Primitives
import SessionCore
import Storage
import TestSupport
import Testing
import WebSocket
import Wire

@testable import Gateway

/// The components of a reactor for WebSockets and sessions, over pairs of local sockets. The clock and the turns advance
/// only when a test requests it.
actor ComponentWorker {
  /// The client's end of a WebSocket.
  private struct Client {
    let end: OwnedDescriptorBox
    /// The client's side of the TLS connection; nil if the socket does not use TLS.
    let tls: TLSConnection?
    let token: UInt64
    var reader: MessageReader
    var unread: [UInt8] = []
    var position = 0
    var fragments: [UInt8] = []
    var clientSequence: UInt32 = 0
  }

  /// An owned descriptor that can be in an array.
  private final class OwnedDescriptorBox {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = descriptor
    }
  }

  private final class Calls: Sendable {
    let all = Guarded<[String]>([])
  }

  /// A message or control frame that a client received.
  enum Received: Equatable, Sendable {
    case control(String)
    /// The payloads of the entries in a binary message.
    case entries([[UInt8]])
    case ping
    case pong
    case close(UInt16?)
  }

  let clock = LoopClock(MonotonicTime(nanoseconds: 1_000_000_000_000))
  let tasks = LoopTasks()
  let counters = ReactorCounters()
  let stopState = StopState()
  let store: ScriptedStore
  let io: ConnectionIO
  private let reader: ConnectionReader
  let persister: Persister
  let broadcaster: Broadcaster
  let sockets: WebSocketService
  let sessions: SessionTable
  let messages: SessionMessages
  let draining: Draining
  /// The calls that a drain has made: "wake" and "stop".
  private let calls = Calls()
  private let uploads = NoUploads()
  private let limits: Limits
  private var clients: [Client] = []
  private var running = 0

  init(
    flushInterval: Duration? = nil, historyBytes: Int = 0, configure: (inout Limits) -> Void = { _ in }
  ) throws {
    var limits = Limits()
    configure(&limits)
    self.limits = limits
    let (clock, tasks, counters) = (clock, tasks, counters)
    let log = Log(level: .error, format: .text, clock: { LogTime.now }, output: { _ in })
    let logger = GatewayLogger(log, counters: counters, clock: clock)
    let executor = try BlockingExecutor(name: "components")
    let attachments = MemoryAttachments()
    let store = try ScriptedStore(attachments: attachments)
    self.store = store
    let budget = TurnBudget()
    budget.reset()
    io = ConnectionIO(
      table: ConnectionTable { _, _ in }, counts: ConnectionCounts(limits: limits, isBehindProxy: false),
      handshakes: HandshakeTable(capacity: 1), readQueue: ReadQueue(), writeQueue: WriteQueue(budget),
      clock: clock, counters: counters, logger: logger)
    reader = ConnectionReader(io, budget: budget, clock: clock, counters: counters, log: log)
    let removal = RemovalGate(.ofThisMachine, limits: limits, now: clock.now)
    let ledger = SessionLedger(limits: limits, removal: removal, isLoaded: true)
    persister = Persister(
      Persister.Environment(
        store: store, unsaved: UnsavedBytes(limit: limits.unsavedBytes), ledger: ledger,
        disk: DiskMonitor(reserve: 0) { () throws(StorageError) in 1 << 40 }, clock: .ofThisMachine,
        generation: "generation", log: log, historyBytes: historyBytes),
      reactor: 0, clock: clock, tasks: tasks, counters: counters)
    let memory = SessionMemory(limit: limits.memoryBytes)
    broadcaster = Broadcaster(
      FanOut(io, clock: clock, counters: counters), persister: persister, memory: memory,
      stopState: stopState, flushInterval: flushInterval, clock: clock, counters: counters, log: log)
    let deflater = Deflater(level: 1)
    let compressor = CatchUpCompressor(deflater)
    sockets = WebSocketService(
      io, broadcaster, budget: budget, deflater: deflater, compressor: compressor, limits: limits,
      clock: clock, counters: counters, logger: logger)
    let loader = SessionLoader(
      store, attachments, on: try BlockingExecutor(name: "loading"), limits: limits,
      generation: "generation", folder: "folder", clock: .ofThisMachine, log: log)
    sessions = SessionTable(
      SessionTable.Environment(
        store: store, files: SessionFiles(attachments, on: executor), ledger: ledger, memory: memory,
        removal: removal, stopState: stopState, limits: limits, nextLoader: { loader }, sweeper: nil, log: log
      ),
      persister: persister, broadcaster: broadcaster, sockets: sockets, uploads: uploads,
      compressor: compressor, tasks: tasks, clock: clock, counters: counters)
    messages = SessionMessages(sessions, tasks: tasks, clock: clock, counters: counters, logger: logger)
    let calls = calls
    draining = Draining(
      Draining.Environment(
        store: store, generation: "generation", log: log, progress: DrainProgress(reactors: 1),
        wakeReactors: { calls.all.withLock { $0.append("wake") } },
        stopReactors: { calls.all.withLock { $0.append("stop") } }),
      io, sessions, tasks: tasks, clock: clock)
    sockets.receiveText = { [unowned messages] in messages.receive($2, from: $0, in: $1) }
  }

  static func id(_ number: UInt64) -> SessionID { SessionID(high: 1, low: number) }

  var now: MonotonicTime { clock.now }
  var drainCalls: [String] { calls.all.withLock { $0 } }
  var sendCalls: UInt64 { counters.values.sendCalls }
  /// The time of the next paced flush.
  var nextFlush: MonotonicTime? { broadcaster.nextDeadline }
  var openSockets: Int { io.table.count }

  // MARK: - Sessions and clients

  /// Creates a session in the store and in the table.
  func makeSession(_ number: UInt64 = 1) async throws {
    var session = Session(
      id: Self.id(number), epoch: "epoch",
      activity: Activity(identifier: "drawtogether", title: "Draw Together", type: "generic"),
      createdAt: Date(timeIntervalSince1970: 0), limits: limits, now: clock.now, saving: .byStore,
      digest: TokenDigest.ofToken)
    let records = session.firstRecords()
    let host = SessionHost(session, compressor: sessions.compressor)
    try await store.create(host.id, records)
    sessions.insert(host)
    sessions.schedule(host)
  }

  /// Opens a WebSocket of a session, with or without TLS.
  ///
  /// - Returns: the number of the client.
  func connect(to number: UInt64 = 1, isSecure: Bool = false) throws -> Int {
    var pair: [CInt] = [-1, -1]
    let isMade =
      unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0
    try #require(isMade)
    let end = OwnedDescriptorBox(OwnedDescriptor(owning: pair[1]))
    let peer = SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 1)
    let tls = isSecure ? try Self.makeTLS() : nil
    let opened = io.open(
      OwnedDescriptor(owning: pair[0]), peer: peer, tls: tls?.server, deadline: .distantFuture,
      handler: { _ in StubHandler() })
    let connection = try #require(opened)
    sessions.openSocket(to: Self.id(number), connection, response: [], deflate: nil, refusal: nil)
    clients.append(
      Client(
        end: end, tls: tls?.client, token: connection.key.token,
        reader: MessageReader(role: .client, limits: MessageLimits(messageBytes: 1 << 20))
      ))
    return clients.count - 1
  }

  /// Returns both sides of a TLS connection after the handshake.
  private static func makeTLS() throws -> (client: TLSConnection, server: TLSConnection) {
    let folder = TemporaryFolder()
    let made = try SelfSignedCertificate.loadOrCreate(
      in: folder.path, now: .now(), names: AlternativeNames(hosts: ["localhost"], addresses: []))
    let server = try TLSServerContext(certificatePath: made.certificatePath, keyPath: made.keyPath)
      .makeConnection()
    let client = try TLSClientContext(trust: .unverified).makeConnection(to: "localhost")
    var plaintext: [UInt8] = []
    var toClient: [UInt8] = []
    repeat {
      var toServer: [UInt8] = []
      _ = try client.receive(toClient.span, plaintext: &plaintext, ciphertextOut: &toServer)
      toClient = []
      _ = try server.receive(toServer.span, plaintext: &plaintext, ciphertextOut: &toClient)
    } while !toClient.isEmpty
    return (client, server)
  }

  /// Opens a WebSocket and joins.
  func join(_ number: UInt64 = 1, isSecure: Bool = false) async throws -> Int {
    let client = try connect(to: number, isSecure: isSecure)
    await turn()
    send(.text, Array(#"{"join":{}}"#.utf8), from: client)
    await turn()
    return client
  }

  /// Sends a client's frame, and lets the gateway read the frame immediately.
  func send(_ opcode: Opcode, _ payload: [UInt8], from client: Int) {
    var bytes: [UInt8] = []
    FrameWriter.append(opcode, payload: payload.span, maskingKey: .random(), to: &bytes)
    sendRaw(bytes, from: client)
  }

  func sendRaw(_ plaintext: [UInt8], from client: Int) {
    var bytes = plaintext
    if let tls = clients[client].tls {
      bytes = []
      do {
        try tls.encrypt(plaintext.span, into: &bytes)
      } catch {
        preconditionFailure("the client cannot encrypt its message: \(error)")
      }
    }
    let count = unsafe Glibc.send(
      clients[client].end.descriptor.rawValue, bytes, bytes.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
    precondition(
      count == bytes.count || errno == EPIPE || errno == ECONNRESET, "the client's socket is full")
    if let connection = io.table[token: clients[client].token] { reader.readAtOnce(connection) }
  }

  /// Sends a reliable entry.
  func draw(_ payload: [UInt8], retention: Retention = .none, key: EntryKey = .zero, from client: Int) {
    clients[client].clientSequence += 1
    var flags = EntryFlags.reliable
    flags.retention = retention
    var bytes: [UInt8] = []
    ClientEntry.append(
      to: &bytes, flags: flags, clientSequence: clients[client].clientSequence, key: key, targets: [],
      type: Array("Test".utf8).span, payload: payload.span)
    send(.binary, bytes, from: client)
  }

  /// Makes memory tight: reports more than half of the limit `incompleteBytes` as buffered bytes.
  func makeMemoryTight() {
    _ = io.counts.addBuffered(limits.incompleteBytes / 2 + 1)
  }

  /// Closes a client's connection, as if it had broken.
  func breakConnection(of client: Int) {
    if let connection = io.table[token: clients[client].token] { io.abort(connection, reason: "broken") }
  }

  /// True when the gateway has closed its end of a client's socket.
  func isDescriptorClosed(_ client: Int) -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = unsafe recv(
        clients[client].end.descriptor.rawValue, &byte, 1, CInt(MSG_DONTWAIT))
      if count <= 0 { return count == 0 }
    }
  }

  /// True while the client's WebSocket can send and receive messages.
  func isOpen(_ client: Int) -> Bool {
    guard let socket = sockets.socket(clients[client].token) else { return false }
    return !socket.isClosing
  }

  /// Returns all messages that a client received since the last call.
  func received(by client: Int) throws -> [Received] {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe recv(
        clients[client].end.descriptor.rawValue, &chunk, chunk.count, CInt(MSG_DONTWAIT))
      guard count > 0 else { break }
      if let tls = clients[client].tls {
        var answer: [UInt8] = []
        _ = try tls.receive(
          chunk.span.extracting(first: count), plaintext: &clients[client].unread, ciphertextOut: &answer)
      } else {
        clients[client].unread += chunk[..<count]
      }
    }
    var state = clients[client]
    defer { clients[client] = state }
    var all: [Received] = []
    let end = state.unread.count
    while true {
      let event = try state.reader.next(
        in: &state.unread, at: &state.position, upTo: end, inflater: sockets.inflater)
      guard let event else { return all }
      switch event {
      case .piece(let kind, let range, _, let isLast):
        state.fragments += state.unread[range]
        guard isLast else { continue }
        all.append(try received(kind, state.fragments))
        state.fragments = []
      case .message(let kind, let payload): all.append(try received(kind, payload))
      case .ping: all.append(.ping)
      case .pong: all.append(.pong)
      case .close(let code, _): all.append(.close(code?.rawValue))
      }
    }
  }

  /// Returns the entries and close frames that a client received since the last call.
  func entriesAndCloses(of client: Int) throws -> [Received] {
    try received(by: client).filter { event in
      switch event {
      case .entries(let payloads): !payloads.isEmpty
      case .close: true
      case .control, .ping, .pong: false
      }
    }
  }

  /// Reports a client's socket as writable, as the event loop does.
  func becomeWritable(_ client: Int) {
    if let connection = io.table[token: clients[client].token] { io.becameWritable(connection) }
  }

  private func received(_ kind: MessageKind, _ message: [UInt8]) throws -> Received {
    kind == .text ? .control(String(decoding: message, as: UTF8.self)) : .entries(try payloads(message))
  }

  /// Returns the payloads of participants' entries.
  private func payloads(_ message: [UInt8]) throws -> [[UInt8]] {
    try ReceivedEntry.all(in: message).filter { $0.clientSequence > 0 }.map(\.payload)
  }

  // MARK: - Time

  func advance(_ duration: Duration) {
    clock.set(clock.now + duration)
  }

  /// Performs one turn as a reactor does, but does not wait for tasks.
  func turnOnce() {
    reader.beginTurn()
    reader.readWaiting()
    sessions.passDeadlines()
    broadcaster.endTurns()
    persister.storeIfDue()
    broadcaster.flush()
    io.continueWriting()
    io.closeBroken()
    for work in tasks.takeAll() {
      running += 1
      Task { await run(work) }
    }
  }

  /// Performs turns until all tasks and flushes are finished.
  func turn() async {
    repeat {
      turnOnce()
      await Task.yield()
    } while running > 0 || broadcaster.hasWork
  }

  /// Checks the time limits of connections and sessions.
  func sweep() async {
    repeat { io.performDueChecks() } while io.checks.nextDeadline.map { $0 <= clock.now } ?? false
    sessions.sweep()
    await turn()
  }

  private func run(_ work: LoopTasks.Work) async {
    await work()
    running -= 1
  }
}

/// Replaces the upload service: no session has uploads.
private final class NoUploads: SessionUploads {
  var didChange: (SessionID) -> Void = { _ in }
  var isStopping = false

  func removeExpired(of host: SessionHost) {}
  func isBusy(in host: SessionHost) -> Bool { false }
  func endUploads(of host: SessionHost, keepsFiles: Bool) {}
  func discardEnded(of id: SessionID) async {}
  func restore(_ uploads: [RestoredUpload], _ files: SessionLoader.Files, in host: SessionHost) {}
  func removeOrphans(_ orphans: [StoredFile], of host: SessionHost) {}
}
