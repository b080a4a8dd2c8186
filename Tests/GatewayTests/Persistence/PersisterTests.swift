import FoundationEssentials
import Glibc
import Networking
import Platform
import Primitives
import SessionCore
import Storage
import TestSupport
import Testing
import Wire

@testable import Gateway

/// The persister over a store whose disk works, fails or hangs, without sockets and without an event loop.
@Suite("The persister, which stores the records of sessions in batches")
struct PersisterTests {
  @Test("A waiting caller is resumed when the session's records are stored, and the log then contains them")
  func stores() async throws {
    let worker = try Worker()
    try await worker.makeSession(1)
    await worker.join(1)
    #expect(await worker.waitUntilStored(1))
    #expect(try await worker.kinds(of: 1).contains(.participant))
    #expect(await worker.waitUntilStored(1), "nothing is left to be stored")
  }

  @Test("While a batch hangs, later records wait for the next batch, and no second batch begins")
  func hangingDisk() async throws {
    let worker = try Worker()
    try await worker.makeSession(1)
    worker.disk.hang { $0.kind == .write }
    await worker.join(1)
    let first = await worker.beginWaiting(1)
    await worker.turn()
    try worker.disk.waitUntilMet()
    await worker.join(1)
    let second = await worker.beginWaiting(1)
    await worker.turn()
    #expect(await worker.nextDeadline == nil, "a batch is in flight")
    #expect(worker.disk.met == 1)
    worker.disk.mend()
    #expect(await worker.outcome(of: first))
    #expect(await worker.outcome(of: second))
    #expect(try await worker.kinds(of: 1).filter { $0 == .participant }.count == 2)
  }

  @Test(
    "If a batch fails, callers that wait for it are resumed with false; after a second, the batch is repeated and stored once"
  )
  func failingDisk() async throws {
    let worker = try Worker()
    try await worker.makeSession(1)
    worker.disk.fail(with: ENOSPC) { $0.kind == .write }
    await worker.join(1)
    #expect(await !worker.waitUntilStored(1))
    #expect(await worker.isDiskFailing)
    worker.disk.mend()
    let retry = try #require(await worker.nextDeadline)
    #expect(await retry - worker.now == .seconds(1))
    await worker.advance(.milliseconds(999))
    await worker.turn()
    #expect(await worker.hasUnsaved(1), "the batch is not repeated before a second has passed")
    await worker.advance(.milliseconds(1))
    await worker.turn()
    #expect(await worker.waitUntilStored(1))
    #expect(await !worker.isDiskFailing)
    #expect(try await worker.kinds(of: 1).filter { $0 == .participant }.count == 1)
  }

  @Test("If the log of one session cannot be written, the other sessions of the batch are still stored")
  func oneFailingLog() async throws {
    let worker = try Worker()
    try await worker.makeSession(1)
    try await worker.makeSession(2)
    worker.disk.fail(with: EIO) { $0.kind == .write && $0.session == Worker.id(1) }
    await worker.join(1)
    await worker.join(2)
    let (first, second) = (await worker.beginWaiting(1), await worker.beginWaiting(2))
    #expect(await !worker.outcome(of: first))
    #expect(await worker.outcome(of: second))
  }

  @Test(
    "A session is not stored while the entries of its last turn are being sent; it waits for a later batch")
  func flushing() async throws {
    let worker = try Worker()
    try await worker.makeSession(1)
    await worker.join(1)
    await worker.setFlushing(true, 1)
    let waiting = await worker.beginWaiting(1)
    await worker.turn()
    #expect(await worker.hasUnsaved(1))
    await worker.setFlushing(false, 1)
    #expect(await worker.outcome(of: waiting))
  }

  @Test(
    "`closed` is the last record of a log, unless the session continues; after an `end` record, no record is written"
  )
  func finalRecords() async throws {
    let worker = try Worker()
    try await worker.makeSession(1)
    await worker.join(1)
    #expect(await worker.writeFinalRecord(.closed, 1))
    #expect(try await worker.kinds(of: 1).last == .closed)
    await worker.join(1)
    #expect(await worker.waitUntilStored(1))
    #expect(try await worker.kinds(of: 1).last != .closed)
    #expect(try await worker.kinds(of: 1).filter { $0 == .participant }.count == 2)
    #expect(await worker.writeFinalRecord(.end(by: nil), 1))
    #expect(try await worker.kinds(of: 1).last == .end)
    await worker.join(1)
    #expect(await !worker.waitUntilStored(1))
    #expect(await !worker.writeFinalRecord(.end(by: nil), 1))
    #expect(try await worker.kinds(of: 1).last == .end)
  }

  @Test(
    "If a session is removed, its unsaved records are not stored, and callers that wait for them are resumed with false"
  )
  func removed() async throws {
    let worker = try Worker()
    try await worker.makeSession(1)
    await worker.join(1)
    await worker.remove(1)
    #expect(await !worker.waitUntilStored(1))
    #expect(try await !worker.kinds(of: 1).contains(.participant))
  }

  // MARK: - Stores with an unknown outcome, lost ownership or several shards

  @Test(
    "An append with an unknown outcome is repeated without changes after a second; its records are stored once",
    arguments: [true, false])
  func unknownOutcome(isStored: Bool) async throws {
    let store = try ScriptedStore()
    let worker = try Worker(over: store)
    try await worker.makeSession(1)
    store.answerNext(.unknown(isStored: isStored))
    await worker.join(1)
    let first = await worker.beginWaiting(1)
    await worker.turn()
    try await worker.wait(for: 1, appendsOf: store)
    await worker.join(1)
    let second = await worker.beginWaiting(1)
    #expect(await worker.isDiskFailing)
    #expect(await !worker.isDone(first), "the outcome is unknown, so the caller waits")
    await worker.advance(.seconds(1))
    #expect(await worker.outcome(of: first))
    #expect(await worker.outcome(of: second))
    let appends = store.appends
    #expect(appends.map(\.number) == [1, 1, 2])
    #expect(appends[0].records == appends[1].records)
    #expect(try await worker.kinds(of: 1).filter { $0 == .participant }.count == 2)
    #expect(await !worker.isDiskFailing)
  }

  @Test("A caller is resumed with false if its session is removed while the outcome of a batch is unknown")
  func removedDuringUnknownOutcome() async throws {
    let store = try ScriptedStore()
    let worker = try Worker(over: store)
    try await worker.makeSession(1)
    store.answerNext(.unknown(isStored: false))
    await worker.join(1)
    let waiting = await worker.beginWaiting(1)
    await worker.turn()
    try await worker.wait(for: 1, appendsOf: store)
    await worker.remove(1)
    await worker.advance(.seconds(1))
    #expect(await !worker.outcome(of: waiting))
    #expect(store.appends.count == 1)
  }

  @Test(
    "If another gateway takes over a session, the persister reports this, and callers that wait for the session get false"
  )
  func lostOwnership() async throws {
    let store = try ScriptedStore()
    let worker = try Worker(over: store)
    try await worker.makeSession(1)
    await store.memory.loseSessions()
    await worker.join(1)
    #expect(await !worker.waitUntilStored(1))
    #expect(await worker.lost == [Worker.id(1)])
    #expect(await worker.nextDeadline == nil, "nothing is repeated")
    #expect(await !worker.isDiskFailing)
  }

  @Test("If one shard of the store does not answer, the other shards are not delayed")
  func shards() async throws {
    let store = try ScriptedStore(shardCount: 2)
    let worker = try Worker(over: store)
    try await worker.makeSession(1)
    try await worker.makeSession(2)
    store.hang(shard: 1)
    await worker.join(1)
    await worker.join(2)
    let (first, second) = (await worker.beginWaiting(1), await worker.beginWaiting(2))
    #expect(await worker.outcome(of: second))
    await worker.join(2)
    #expect(await worker.waitUntilStored(2))
    #expect(await !worker.isDone(first))
    store.hang(shard: nil)
    #expect(await worker.outcome(of: first))
  }

  @Test(
    "For a session in memory only, no records are appended, and callers that wait for its records are resumed immediately"
  )
  func sessionInMemory() async throws {
    let store = try ScriptedStore()
    let worker = try Worker(over: store)
    try await worker.makeSession(1, saving: .inMemory)
    await worker.join(1)
    #expect(await worker.waitUntilStored(1))
    #expect(await worker.writeFinalRecord(.closed, 1))
    #expect(await worker.writeFinalRecord(.end(by: nil), 1))
    #expect(store.appends.isEmpty)
    #expect(try store.byteCount(of: Worker.id(1)) == 0)
  }
}

/// A persister and its sessions, on a thread of their own. Turns run only when a test requests them.
private actor Worker {
  nonisolated let disk: TroubledDisk
  private let folder: TemporaryFolder?
  private let store: any SessionStore
  private let environment: Persister.Environment
  private let clock = LoopClock(MonotonicTime(nanoseconds: 1_000_000_000_000))
  private let tasks = LoopTasks()
  private let persister: Persister
  private var sessions: [UInt64: StoredSession] = [:]
  private var joined: UInt64 = 0
  private var waiting: [Task<Bool, Never>] = []
  private(set) var lost: [SessionID] = []
  private var done: Set<Int> = []

  /// Creates a worker whose persister stores records in a folder, on a disk that can fail or hang.
  init() throws {
    let (disk, folder) = (TroubledDisk(), TemporaryFolder())
    let store = FolderStore(
      disk.over(FolderDisk(try DataFolder(opening: folder.path))),
      on: try BlockingExecutor(name: "saving"), durability: .process)
    self.init(store, disk, folder)
  }

  /// Creates a worker with the scripted store `store`, which uses no disk.
  init(over store: ScriptedStore) throws {
    self.init(store, TroubledDisk(), nil)
  }

  private init(_ store: any SessionStore, _ disk: TroubledDisk, _ folder: TemporaryFolder?) {
    (self.store, self.disk, self.folder) = (store, disk, folder)
    let limits = Limits()
    let removal = RemovalGate(.ofThisMachine, limits: limits, now: clock.now)
    environment = Persister.Environment(
      store: store, unsaved: UnsavedBytes(limit: limits.unsavedBytes),
      ledger: SessionLedger(limits: limits, removal: removal, isLoaded: true),
      disk: DiskMonitor(reserve: 0) { () throws(StorageError) in 1 << 40 }, clock: .ofThisMachine,
      generation: "generation",
      log: Log(level: .error, format: .text, clock: { LogTime.now }, output: { _ in }))
    persister = Persister(
      environment, reactor: 0, clock: clock, tasks: tasks, counters: ReactorCounters())
  }

  static func id(_ number: UInt64) -> SessionID { SessionID(high: 1, low: number) }

  var now: MonotonicTime { clock.now }
  var nextDeadline: MonotonicTime? { persister.nextDeadline }
  var isDiskFailing: Bool { environment.disk.figures.isFailing }

  func makeSession(_ number: UInt64, saving: Saving = .byStore) async throws {
    persister.didLoseOwnership = { [unowned self] stored in lost.append(stored.id) }
    var session = Session(
      id: Self.id(number), epoch: "epoch",
      activity: Activity(identifier: "drawtogether", title: "Draw Together", type: "generic"),
      createdAt: Date(timeIntervalSince1970: 0), limits: Limits(), now: clock.now, saving: saving)
    let records = session.firstRecords()
    sessions[number] = StoredSession(session)
    try await store.create(Self.id(number), records)
  }

  /// Adds a participant, whose record is to be stored.
  func join(_ number: UInt64) {
    joined += 1
    guard let stored = sessions[number] else { return }
    _ = stored.session.join(
      Subscriber(connection: joined), Join(),
      identity: NewIdentity(id: UUID(), token: Token(high: joined, low: number), lot: joined), now: clock.now)
    stored.session.endTurn(now: clock.now)
  }

  func hasUnsaved(_ number: UInt64) -> Bool { sessions[number]?.session.hasUnsaved ?? false }

  func setFlushing(_ isFlushing: Bool, _ number: UInt64) {
    sessions[number]?.isFlushing = isFlushing
  }

  func remove(_ number: UInt64) {
    sessions[number]?.isRemoved = true
  }

  func advance(_ duration: Duration) {
    clock.set(clock.now + duration)
  }

  /// Does the work of the persister in one turn of a reactor, and starts the queued tasks.
  func turn() {
    persister.storeIfDue()
    for work in tasks.takeAll() { Task { await run(work) } }
  }

  private func run(_ work: LoopTasks.Work) async {
    await work()
  }

  /// Begins to wait until a session's records are stored. Returns the number of the request; `outcome` returns its result.
  func beginWaiting(_ number: UInt64) async -> Int {
    await begin { await self.wait(number) }
  }

  func waitUntilStored(_ number: UInt64) async -> Bool {
    await outcome(of: beginWaiting(number))
  }

  func writeFinalRecord(_ kind: StoredSession.FinalRecord.Kind, _ number: UInt64) async -> Bool {
    await outcome(of: begin { await self.write(kind, number) })
  }

  private func wait(_ number: UInt64) async -> Bool {
    guard let stored = sessions[number] else { return false }
    return await persister.waitUntilStored(stored)
  }

  private func write(_ kind: StoredSession.FinalRecord.Kind, _ number: UInt64) async -> Bool {
    guard let stored = sessions[number] else { return false }
    return await persister.writeFinalRecord(kind, of: stored)
  }

  private func begin(_ wait: @escaping @Sendable () async -> Bool) async -> Int {
    let number = waiting.count
    let task = Task {
      let result = await wait()
      done.insert(number)
      return result
    }
    waiting.append(task)
    // The request is queued when the task has run up to its first suspension.
    await Task.yield()
    return waiting.count - 1
  }

  /// Performs turns until the store has this number of appends.
  func wait(for count: Int, appendsOf store: ScriptedStore) async throws {
    let deadline = TestTimeout.deadline
    while store.appends.count < count || persister.nextDeadline == nil {
      guard .now() < deadline else { throw ClientError.outOfPatience(waitingFor: "an append") }
      turn()
      await Task.yield()
    }
  }

  /// True if a request has its result.
  func isDone(_ request: Int) -> Bool { done.contains(request) }

  /// Performs turns until a request has its result.
  func outcome(of request: Int) async -> Bool {
    let isDone = Guarded(false)
    let task = waiting[request]
    Task {
      _ = await task.value
      isDone.withLock { $0 = true }
    }
    while !isDone.withLock({ $0 }) {
      turn()
      await Task.yield()
    }
    return await task.value
  }

  func kinds(of number: UInt64) throws -> [SessionRecord.Kind] {
    var kinds: [SessionRecord.Kind] = []
    _ = try store.readRecords(of: Self.id(number)) { (kind, _) throws(RecordError) in
      if let kind = SessionRecord.Kind(rawValue: kind) { kinds.append(kind) }
    } lost: { _ in
    }
    return kinds
  }
}
