import Glibc
import Networking
import Platform
import Primitives
import Testing
import Wire

@testable import Gateway

@Suite("Each turn serves the connections that wait to be read or written")
struct ConnectionQueueTests {
  private let table = ConnectionTable { _, _ in }

  private func admit(_ handler: StubHandler? = nil) throws -> Connection {
    let connection = try table.admit(OwnedDescriptor(owning: unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)))
    {
      Connection(
        key: $0, descriptor: $1, peer: SocketAddress(ip: IPAddress(v4: 1), port: 1), tls: nil,
        deadline: .distantFuture)
    }
    connection.handler = handler
    return connection
  }

  @Test(
    "A turn reads each connection once: WebSockets first, then HTTP connections, then connections with expensive input"
  )
  func readOrder() throws {
    let queue = ReadQueue()
    let (expensive, http, socket) = (try admit(), try admit(), try admit(StubHandler(isWebSocket: true)))
    expensive.isExpensive = true
    for connection in [expensive, http, socket, socket] { queue.append(connection) }
    #expect(!queue.isEmpty)
    var order: [Connection.Key] = []
    queue.serve { order.append($0) }
    #expect(order == [socket.key, http.key, expensive.key])
    #expect(queue.isEmpty)
    #expect(queue.takeExpensiveTime() > .zero)
    #expect(queue.takeExpensiveTime() == .zero)
  }

  @Test("A turn writes each connection once: connections with live entries before those with catch-ups")
  func writeOrder() throws {
    let budget = TurnBudget()
    budget.reset()
    let queue = WriteQueue(budget)
    let (bulk, live) = (try admit(), try admit())
    queue.append(bulk, isBulk: true)
    for _ in 0..<2 { queue.append(live) }
    var order: [Connection.Key] = []
    queue.serve { order.append($0) }
    #expect(order == [live.key, bulk.key])
    #expect(queue.isEmpty)
    #expect(queue.takeBulkTime() > .zero)
    #expect(queue.takeBulkTime() == .zero)
  }

  @Test(
    "When the bulk bytes of a turn are used up, catch-ups wait for the next turn, but live entries are sent"
  )
  func bulkBudget() throws {
    let budget = TurnBudget()
    budget.reset()
    let queue = WriteQueue(budget)
    let (bulk, live) = (try admit(), try admit())
    queue.append(bulk, isBulk: true)
    queue.append(live)
    budget.useBulkBytes(2_097_152)
    var order: [Connection.Key] = []
    queue.serve { order.append($0) }
    #expect(order == [live.key])
    #expect(!queue.isEmpty)
    budget.reset()
    queue.serve { order.append($0) }
    #expect(order == [live.key, bulk.key])
  }
}

@Suite("ConnectionCounts limits the connections, in total and per client")
struct ConnectionCountsTests {
  private static let client = IPAddress(v4: 0xCB00_7109)  // 203.0.113.9
  private static let other = IPAddress(v4: 0xCB00_710A)

  private func counts(connections: Int = 3, perAddress: Int = 2, isBehindProxy: Bool = false)
    -> ConnectionCounts
  {
    var limits = Limits()
    limits.connections = connections
    limits.connectionsPerAddress = perAddress
    limits.incompleteBytes = 1000
    return ConnectionCounts(limits: limits, isBehindProxy: isBehindProxy)
  }

  private func peer(_ address: IPAddress) -> SocketAddress { SocketAddress(ip: address, port: 1) }

  private func isAdmitted(_ admission: ConnectionCounts.Admission) -> Bool {
    if case .admitted = admission { true } else { false }
  }

  @Test("At the limit of all connections, new connections are refused until a connection is released")
  func connections() {
    let counts = counts(perAddress: 10)
    for _ in 0..<3 { #expect(isAdmitted(counts.admitConnection(from: peer(Self.client)))) }
    guard case .full = counts.admitConnection(from: peer(Self.other)) else {
      Issue.record("a connection was admitted beyond the limit")
      return
    }
    #expect(counts.tooManyConnections.limit == 3 && counts.tooManyConnections.actual == 4)
    counts.releaseConnection(from: peer(Self.client))
    #expect(isAdmitted(counts.admitConnection(from: peer(Self.other))))
  }

  @Test(
    "If a peer has the maximum number of connections, its next connection is refused and not counted; other peers can connect"
  )
  func peers() {
    let counts = counts(connections: 10)
    for _ in 0..<2 { #expect(isAdmitted(counts.admitConnection(from: peer(Self.client)))) }
    guard case .refused(let refusal) = counts.admitConnection(from: peer(Self.client)) else {
      Issue.record("a connection was admitted beyond the limit")
      return
    }
    #expect(refusal.code == .tooMany && refusal.limit == 2 && refusal.actual == 3)
    #expect(isAdmitted(counts.admitConnection(from: peer(Self.other))))
    for _ in 0..<5 { #expect(isAdmitted(counts.admitConnection(from: peer(IPAddress(v4: 0x7F00_0001))))) }
    counts.releaseConnection(from: peer(Self.client))
    #expect(isAdmitted(counts.admitConnection(from: peer(Self.client))))
  }

  @Test("Behind a proxy, connections are counted by client and not by peer, because the peer is the proxy")
  func proxy() {
    let counts = counts(connections: 10, perAddress: 1, isBehindProxy: true)
    for _ in 0..<5 { #expect(isAdmitted(counts.admitConnection(from: peer(Self.client)))) }
    #expect(counts.admitClient(Self.client) == nil)
    #expect(counts.admitClient(Self.client)?.limit == 1)
    counts.releaseClient(Self.client)
    #expect(counts.admitClient(Self.client) == nil)
  }

  @Test(
    "`isMemoryTight` is true if more than half of the buffer limit is used; `addBuffered` returns false if the limit is exceeded"
  )
  func bufferedBytes() {
    let counts = counts()
    #expect(counts.addBuffered(500) && !counts.isMemoryTight)
    #expect(counts.addBuffered(1) && counts.isMemoryTight)
    #expect(!counts.addBuffered(500) && counts.bufferedBytes == 1001)
    #expect(counts.addBuffered(-1), "a decrease is never refused")
  }
}
