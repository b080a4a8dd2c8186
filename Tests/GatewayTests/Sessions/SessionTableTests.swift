import Networking
import Primitives
import SessionCore
import Testing
import WebSocket
import Wire

@testable import Gateway

@Suite("SessionTable loads, leases, ends and unloads the sessions of a reactor")
struct SessionTableTests {
  @Test("An idle session is unloaded after `sessionIdleSeconds`, and loaded again in the same epoch")
  func unloading() async throws {
    let worker = try ComponentWorker { $0.sessionIdleSeconds = 10 }
    try await worker.makeSession()
    #expect(await worker.epoch() == "epoch")
    await worker.turn()
    await worker.advance(.seconds(9))
    await worker.turn()
    #expect(await worker.isInMemory)
    await worker.advance(.seconds(1))
    await worker.turn()
    #expect(await !worker.isInMemory)
    #expect(await worker.epoch() == "epoch")
    #expect(await worker.isInMemory)
  }

  @Test("A session with an open socket is not unloaded")
  func openSocket() async throws {
    let worker = try ComponentWorker { $0.sessionIdleSeconds = 10 }
    try await worker.makeSession()
    _ = try await worker.connect()
    await worker.turn()
    await worker.advance(.seconds(100))
    await worker.turn()
    #expect(await worker.isInMemory)
  }

  @Test(
    "A session that refuses new data accepts data again at the first sweep at which the data folder has room")
  func roomAgain() async throws {
    let worker = try ComponentWorker { $0.dataBytes = 1_024 }
    try await worker.makeSession()
    await worker.setBytesOfAnotherSession(2_000)
    #expect(await worker.isRefusingData)
    await worker.sweep()
    #expect(await worker.isRefusingData)
    await worker.setBytesOfAnotherSession(0)
    await worker.sweep()
    #expect(await !worker.isRefusingData)
  }

  @Test("If several clients connect to an unloaded session at the same time, the session is loaded once")
  func concurrentLoads() async throws {
    let worker = try ComponentWorker { $0.sessionIdleSeconds = 10 }
    try await worker.makeSession()
    await worker.turn()
    await worker.advance(.seconds(10))
    await worker.turn()
    #expect(await !worker.isInMemory)
    let loads = await worker.loads
    let sockets = [try await worker.connect(), try await worker.connect(), try await worker.connect()]
    await worker.turn()
    #expect(await worker.loads == loads + 1)
    for socket in sockets { #expect(await worker.isOpen(socket)) }
  }

  @Test("A distant deadline of a session is not queued again each time a `committed` message is scheduled")
  func farDeadline() async throws {
    let worker = try ComponentWorker { $0.graceSeconds = 600 }
    try await worker.makeSession()
    let (drawing, gone) = (try await worker.join(), try await worker.join())
    // The grace time of this participant is 600 s and ends long after the test. Its end is the distant deadline of the session.
    await worker.breakConnection(of: gone)
    for number in 0..<100 as Range<UInt8> {
      await worker.draw([number], from: drawing)
      await worker.turn()
      await worker.advance(.milliseconds(200))
      await worker.turn()
      await worker.advance(.milliseconds(200))
      await worker.turn()
    }
    #expect(await worker.deadlineCount < 5)
  }

  @Test(
    "S35: the deadline of a `committed` message starts no turn if the message was already sent with entries")
  func deadlineOutOfDate() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let client = try await worker.join()
    await worker.advance(.milliseconds(200))
    await worker.turn()
    await worker.advance(.milliseconds(200))
    await worker.turn()
    _ = try await worker.received(by: client)
    await worker.draw([1], from: client)
    await worker.turn()
    await worker.advance(.milliseconds(100))
    await worker.turn()
    await worker.draw([2], from: client)
    await worker.turnOnce()
    let received = try await worker.received(by: client)
    #expect(
      received.contains { if case .control = $0 { true } else { false } }, "`committed` came with the entry")
    let flushes = await worker.flushes
    await worker.advance(.milliseconds(51))
    await worker.turnOnce()
    #expect(await worker.flushes == flushes)
  }

  @Test(
    "When a session is ended, its members get the last entries and close code 4010; later clients get 4010 too"
  )
  func ending() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let (first, second) = (try await worker.join(), try await worker.join())
    _ = try await (worker.received(by: first), worker.received(by: second))
    await worker.draw([1], from: first)
    await worker.send(.text, Array(#"{"end":{}}"#.utf8), from: second)
    await worker.turn()
    for client in [first, second] {
      #expect(try await worker.entriesAndCloses(of: client) == [.entries([[1]]), .close(4010)])
    }
    let late = try await worker.connect()
    await worker.turn()
    #expect(try await worker.entriesAndCloses(of: late) == [.close(4010)])
  }

  @Test("If a client connects to a session that does not exist, its socket is closed with 4004")
  func unknown() async throws {
    let worker = try ComponentWorker()
    let client = try await worker.connect(to: 9)
    await worker.turn()
    #expect(try await worker.entriesAndCloses(of: client) == [.close(4004)])
  }

  @Test(
    "P6: if a connection closes during the loading or ending of its session, its descriptor closes immediately"
  )
  func closedDuringTask() async throws {
    let worker = try ComponentWorker()
    try await worker.makeSession()
    let ending = try await worker.join()
    // The tasks that load and end the sessions begin in the next turn, after the connections have closed.
    let loading = try await worker.connect(to: 9)
    await worker.send(.text, Array(#"{"end":{}}"#.utf8), from: ending)
    for client in [loading, ending] {
      await worker.breakConnection(of: client)
      #expect(await worker.isDescriptorClosed(client))
    }
    await worker.turn()
  }

  @Test(
    "While a caller has the lease of a session, other callers wait, and then get the lease in the order of their requests"
  )
  func leases() async throws {
    let worker = try ComponentWorker()
    #expect(await worker.orderOfLeases() == ["first begins", "first ends", "second begins", "second ends"])
  }
}

extension ComponentWorker {
  fileprivate var isInMemory: Bool { sessions[Self.id(1)] != nil }
  fileprivate var deadlineCount: Int { sessions.deadlines.count }
  fileprivate var flushes: UInt32? { sessions[Self.id(1)]?.session.flushNumber }
  fileprivate var loads: UInt64 { counters.values.sessionsOpened }
  fileprivate var isRefusingData: Bool { sessions[Self.id(1)]?.session.dataRefusal != nil }

  /// Sets the log bytes of session 2, which is only on the disk. If the data folder is then full, also reports the bytes of
  /// session 1, which is in memory.
  fileprivate func setBytesOfAnotherSession(_ bytes: Int) {
    let ledger = sessions.environment.ledger
    ledger.forget(Self.id(2))
    var account = SessionAccounts.Account()
    account.logBytes = bytes
    ledger.add(account, of: Self.id(2))
    if ledger.refusalOfGrowth != nil, let host = sessions[Self.id(1)] { persister.reportBytes(of: host) }
  }

  /// Returns the epoch of the session, which is loaded if necessary; nil if it cannot be found.
  fileprivate func epoch() async -> String? {
    guard case .open(let host) = await sessions.find(Self.id(1)) else { return nil }
    return host.session.epoch
  }

  /// Takes two leases of one session in concurrent tasks, and returns the order of their beginnings and ends.
  fileprivate func orderOfLeases() async -> [String] {
    var events: [String] = []
    func hold(_ name: String) async {
      let lease = await sessions.lease(Self.id(1))
      defer { extendLifetime(lease) }
      events.append("\(name) begins")
      for _ in 0..<3 { await Task.yield() }
      events.append("\(name) ends")
    }
    func first() async { await hold("first") }
    func second() async { await hold("second") }
    tasks.start(first)
    tasks.start(second)
    await turn()
    return events
  }
}
