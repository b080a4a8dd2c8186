import Glibc
import Networking
import Platform
import Primitives
import Testing
import Wire

@testable import Gateway

/// The acceptor of connections. The tests use pairs of local sockets instead of listeners.
@Suite("Acceptor accepts, refuses or evicts connections at the limits of the gateway")
struct AcceptorTests {
  private static let client = IPAddress(v4: 0xCB00_7109)  // 203.0.113.9
  private static let other = IPAddress(v4: 0xCB00_710A)

  @Test(
    "Beyond `connectionsPerAddress`, a peer's new connection is refused with the reason, until the peer closes a connection"
  )
  func perAddress() throws {
    let room = try AcceptorRoom {
      $0.connections = 10
      $0.connectionsPerAddress = 1
    }
    let first = try room.connect(from: Self.client)
    let refused = try room.connect(from: Self.client)
    let other = try room.connect(from: Self.other)
    room.acceptAll()
    #expect(room.state(of: first) == .open(""))
    #expect(room.state(of: refused) == .closed("too-many 1 of 2"))
    #expect(room.state(of: other) == .open(""))
    #expect(room.lines.last?.contains("connection refused") == true)
    #expect(room.counters.values.connectionsRefused == 1)
    room.close(first)
    let next = try room.connect(from: Self.client)
    room.acceptAll()
    #expect(room.state(of: next) == .open(""))
  }

  @Test("A refused connection to the TLS port is closed without a plain-text answer")
  func perAddressOverTLS() throws {
    let room = try AcceptorRoom { $0.connectionsPerAddress = 1 }
    let first = try room.connect(from: Self.client)
    let refused = try room.connect(from: Self.client)
    room.acceptAll(isSecure: true)
    #expect(room.state(of: first) == .open(""))
    #expect(room.state(of: refused) == .closed(""))
  }

  @Test(
    "When `connections` and the reserved slots are used up, a new connection evicts the oldest silent reserved connection"
  )
  func eviction() throws {
    let room = try AcceptorRoom { $0.connections = 1 }
    let clients = try (0..<4).map { _ in try room.connect(from: Self.client) }
    room.acceptAll()
    // One connection is within the limit, and two connections use the reserved slots.
    #expect(room.state(of: clients[0]) == .open(""))
    #expect(room.state(of: clients[1]) == .closed("too-many 1 of 2"))
    #expect(room.state(of: clients[2]) == .open("") && room.state(of: clients[3]) == .open(""))
    room.handler(of: clients[2])?.stage = .asking
    let fifth = try room.connect(from: Self.client)
    room.acceptAll()
    #expect(room.state(of: clients[2]) == .open(""))
    #expect(room.state(of: clients[3]) == .closed("too-many 1 of 2"))
    #expect(room.state(of: fifth) == .open(""))
  }

  @Test(
    "A reserved connection does not count toward `connections`; when it closes, its reserved slot becomes free"
  )
  func freedSlot() throws {
    let room = try AcceptorRoom { $0.connections = 1 }
    let clients = try (0..<3).map { _ in try room.connect(from: Self.client) }
    room.acceptAll()
    room.close(clients[1])
    let reserved = try room.connect(from: Self.client)
    room.acceptAll()
    #expect(room.state(of: clients[2]) == .open("") && room.state(of: reserved) == .open(""))
    #expect(room.isReserved(reserved))
    room.close(clients[0])
    let counted = try room.connect(from: Self.client)
    room.acceptAll()
    #expect(!room.isReserved(counted))
  }

  @Test(
    "The request of a reserved connection is read immediately, so that no new connection evicts the reserved connection as silent"
  )
  func readAtOnce() throws {
    let room = try AcceptorRoom { $0.connections = 1 }
    let clients = try (0..<2).map { _ in try room.connect(from: Self.client, sending: "GET") }
    room.acceptAll()
    #expect(room.handler(of: clients[0])?.received == [])
    #expect(room.handler(of: clients[1])?.received == Array("GET".utf8))
  }

  @Test(
    "If no descriptor is left, accepting pauses for 100 ms, and then continues without an event of the listener"
  )
  func exhausted() throws {
    let room = try AcceptorRoom()
    room.source?.script.append(.exhausted)
    let client = try room.connect(from: Self.client)
    room.acceptor.acceptPlain()
    #expect(room.state(of: client) == .open("") && room.handler(of: client) == nil)
    #expect(room.lines.last?.contains("accepting paused") == true)
    #expect(room.acceptor.nextDeadline == room.clock.now + .milliseconds(100))
    room.clock.set(room.clock.now + .milliseconds(99))
    room.acceptor.acceptWaiting()
    #expect(room.handler(of: client) == nil)
    room.clock.set(room.clock.now + .milliseconds(1))
    room.acceptor.acceptWaiting()
    #expect(room.handler(of: client) != nil)
    // On a slow machine, the acceptor reaches its time limit after one connection, and continues in the next turn.
    if room.acceptor.nextDeadline == room.clock.now { room.acceptor.acceptWaiting() }
    #expect(room.acceptor.nextDeadline == nil)
  }

  @Test(
    "A connection that is dropped because no descriptor is left counts as refused, and the next connection is accepted"
  )
  func rejected() throws {
    let room = try AcceptorRoom()
    room.source?.script.append(.rejected)
    let client = try room.connect(from: Self.client)
    room.acceptAll()
    #expect(room.counters.values.connectionsRefused == 1)
    #expect(room.lines.last?.contains("connection not taken") == true)
    #expect(room.handler(of: client) != nil)
  }

  @Test("A connection that cannot be registered with the event loop is closed and not counted")
  func notWatched() throws {
    let room = try AcceptorRoom { $0.connections = 1 }
    room.watch.fails = true
    let lost = try room.connect(from: Self.client)
    room.acceptAll()
    #expect(room.state(of: lost) == .closed(""))
    #expect(room.lines.last?.contains("connection not taken") == true)
    room.watch.fails = false
    let next = try room.connect(from: Self.client)
    room.acceptAll()
    #expect(!room.isReserved(next) && room.handler(of: next) != nil)
  }

  @Test(
    "A turn accepts connections for at most 2 ms; the connections that remain are accepted in the next turn")
  func share() throws {
    let room = try AcceptorRoom()
    let first = try room.connect(from: Self.client)
    room.source?.script.insert(.spendTime, at: 0)
    let second = try room.connect(from: Self.client)
    room.acceptor.acceptPlain()
    #expect(room.handler(of: first) != nil && room.handler(of: second) == nil)
    #expect(room.acceptor.nextDeadline == room.clock.now)
    room.acceptor.acceptWaiting()
    #expect(room.handler(of: second) != nil)
  }

  @Test("After a stop, the listeners are closed, no connection is accepted, and no deadline is left")
  func stop() throws {
    let room = try AcceptorRoom()
    room.source?.script.append(.exhausted)
    let client = try room.connect(from: Self.client)
    room.acceptor.acceptPlain()
    #expect(room.source != nil)
    room.acceptor.stop()
    #expect(room.source == nil)
    #expect(room.acceptor.nextDeadline == nil)
    room.clock.set(room.clock.now + .seconds(1))
    room.acceptor.acceptWaiting()
    room.acceptor.acceptPlain()
    #expect(room.handler(of: client) == nil)
  }
}

/// A listener that returns connections and failures from a list.
private final class ScriptedSource: ConnectionSource {
  enum Step {
    case connection(CInt, SocketAddress)
    case rejected
    case exhausted
    /// Accepts the next connection after more time than a listener may use in a turn.
    case spendTime
  }

  var script: [Step] = []

  deinit {
    for case .connection(let descriptor, _) in script { _ = close(descriptor) }
  }

  func accept() -> Listener.Acceptance {
    guard !script.isEmpty else { return .wouldBlock }
    switch script.removeFirst() {
    case .connection(let descriptor, let peer):
      return .accepted(OwnedDescriptor(owning: descriptor), peer: peer)
    case .rejected: return .rejected(SystemError("accept4", code: EMFILE))
    case .exhausted: return .exhausted(SystemError("accept4", code: EMFILE))
    case .spendTime:
      let end = MonotonicTime.now() + .milliseconds(2)
      while MonotonicTime.now() < end {}
      return accept()
    }
  }
}

/// An acceptor with two slots for reserved connections, and the sockets of the clients.
private final class AcceptorRoom {
  /// The state of the client's socket, with the bytes that arrived.
  enum ClientState: Equatable {
    case open(String)
    case closed(String)
  }

  final class Watch {
    var fails = false
  }

  struct Client {
    let descriptor: CInt
    /// The port of the client's address. Each client has a different port.
    let port: UInt16
  }

  let clock = LoopClock(MonotonicTime(nanoseconds: 1_000_000_000_000))
  let counters = ReactorCounters()
  let lines = LogLines()
  let watch = Watch()
  let io: ConnectionIO
  let acceptor: Acceptor
  /// The listener; nil when the acceptor has released it.
  private(set) weak var source: ScriptedSource?
  private var clients: [Client] = []

  init(configure: (inout Limits) -> Void = { _ in }) throws {
    var limits = Limits()
    configure(&limits)
    let logger = GatewayLogger(lines.log, counters: counters, clock: clock)
    let budget = TurnBudget()
    budget.reset()
    let watch = watch
    io = ConnectionIO(
      table: ConnectionTable { (_, _) throws(SystemError) in
        if watch.fails { throw SystemError("epoll_ctl", code: ENOSPC) }
      },
      counts: ConnectionCounts(limits: limits, isBehindProxy: false), handshakes: HandshakeTable(capacity: 1),
      readQueue: ReadQueue(), writeQueue: WriteQueue(budget), clock: clock, counters: counters, logger: logger
    )
    let reader = ConnectionReader(io, budget: budget, clock: clock, counters: counters, log: lines.log)
    acceptor = Acceptor(
      io, reader, certificates: nil, reactors: 8, headTime: .seconds(10), clock: clock, counters: counters,
      logger: logger)
    acceptor.makeHandler = { _ in StubHandler() }
    acceptor.refusalBytes = { Array("\($0.code.rawValue) \($0.limit ?? 0) of \($0.actual ?? 0)".utf8) }
    let source = ScriptedSource()
    acceptor.listen(plain: source, secure: source)
    self.source = source
  }

  deinit {
    for client in clients { _ = Glibc.close(client.descriptor) }
  }

  /// Adds a connection to the list of connections that the acceptor will accept.
  func connect(from address: IPAddress, sending text: String = "") throws -> Client {
    var ends: [CInt] = [-1, -1]
    let isMade =
      unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0
    try #require(isMade)
    let client = Client(descriptor: ends[1], port: UInt16(clients.count + 1))
    clients.append(client)
    source?.script.append(.connection(ends[0], SocketAddress(ip: address, port: client.port)))
    if !text.isEmpty { _ = Socket(client.descriptor).send(Array(text.utf8).span) }
    return client
  }

  /// Accepts all waiting connections, without a time limit.
  func acceptAll(isSecure: Bool = false) {
    // One call may reach its time limit before all connections are accepted, so the call is repeated. In these tests, the port
    // with TLS and the port without TLS take connections from the same list.
    repeat {
      if isSecure { acceptor.acceptSecure() } else { acceptor.acceptPlain() }
    } while source?.script.isEmpty == false
    acceptor.acceptWaiting()
  }

  private func connection(of client: Client) -> Connection? {
    io.table.rows.lazy.compactMap { $0 }.first { $0.peer.port == client.port }
  }

  /// Returns the handler of a client's connection; nil if the connection is not accepted or has closed.
  func handler(of client: Client) -> StubHandler? { connection(of: client)?.handler as? StubHandler }

  func isReserved(_ client: Client) -> Bool { connection(of: client)?.isReserved ?? false }

  /// Closes a client's connection.
  func close(_ client: Client) {
    if let connection = connection(of: client) { io.close(connection) }
  }

  /// Returns the state of a client's socket, with the bytes that arrived since the last call.
  func state(of client: Client) -> ClientState {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 1_024)
    while true {
      let count = unsafe recv(client.descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      guard count > 0 else { return count == 0 ? .closed(text) : .open(text) }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
