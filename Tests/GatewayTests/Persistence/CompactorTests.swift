import Primitives
import SessionCore
import Storage
import Testing
import WebSocket
import Wire

@testable import Gateway

/// The compaction of logs, without a network or a disk. The store can block compactions or let them fail.
@Suite("Compactor shortens session logs in the background, at most two at a time")
struct CompactorTests {
  private static func worker() throws -> ComponentWorker {
    try ComponentWorker {
      $0.catchUpTailBytes = 100_000
      $0.sessionIdleSeconds = 10
    }
  }

  @Test(
    "P4: compaction shortens a log with superseded entries; after a reload, a new participant gets the newest entry"
  )
  func compacts() async throws {
    let worker = try Self.worker()
    try await worker.makeSession()
    let writer = try await worker.join()
    try await worker.supersede(from: writer)
    await worker.turn()
    #expect(await worker.compactions == 1)
    #expect(try await worker.logBytes() < 400_000)
    await worker.draw([7], retention: .replace, key: .shape, from: writer)
    await worker.store(1)
    await worker.turn()
    #expect(try await worker.entriesAfterReload(writer) == [.entries([[7]])])
  }

  @Test("P4: a failed compaction does not change the log, and is tried again after 30 s")
  func fails() async throws {
    let worker = try Self.worker()
    try await worker.makeSession()
    let writer = try await worker.join()
    worker.store.failCompactions(true)
    try await worker.supersede(from: writer)
    await worker.turn()
    #expect(worker.store.compactionsAbandoned == 1)
    #expect(try await worker.logBytes() > 1_048_576)
    worker.store.failCompactions(false)
    await worker.draw([1], retention: .replace, key: .shape, from: writer)
    await worker.store(1)
    await worker.turn()
    #expect(worker.store.compactionsBegun.count == 1, "too early")
    await worker.advance(.seconds(30))
    await worker.draw([2], retention: .replace, key: .shape, from: writer)
    await worker.store(1)
    await worker.turn()
    #expect(worker.store.compactionsBegun.count == 2)
    #expect(try await worker.entriesAfterReload(writer) == [.entries([[2]])])
  }

  @Test("A reactor compacts at most two logs at a time, and continues to store entries meanwhile")
  func concurrent() async throws {
    let worker = try Self.worker()
    worker.store.holdCompactions(true)
    var writers: [Int] = []
    for number in 1...3 {
      try await worker.makeSession(UInt64(number))
      writers.append(try await worker.join(UInt64(number)))
    }
    for (index, writer) in writers.enumerated() {
      try await worker.supersede(UInt64(index + 1), from: writer)
    }
    #expect(worker.store.compactionsBegun == [ComponentWorker.id(1), ComponentWorker.id(2)])
    #expect(try await worker.logBytes(3) > 2_000_000)
    worker.store.holdCompactions(false)
    await worker.turn()
    // The third session requests its compaction again after its next batch.
    await worker.draw([1], retention: .replace, key: .shape, from: writers[2])
    await worker.store(3)
    await worker.turn()
    #expect(worker.store.compactionsBegun.count == 3)
    #expect(await worker.compactions == 3)
  }

  @Test(
    "Entries that arrive during the extension before a compaction are in the history before the log drops them"
  )
  func extendsAgain() async throws {
    let worker = try ComponentWorker(historyBytes: 1 << 26) { $0.catchUpTailBytes = 100_000 }
    worker.store.holdExtensions(true)
    try await worker.makeSession()
    let writer = try await worker.join()
    try await worker.supersede(from: writer)
    #expect(worker.store.compactionsBegun.isEmpty)
    worker.store.holdExtensions(false)
    await worker.turn()
    #expect(await worker.compactions == 1)
    let policy = HistoryPolicy(byteCount: 1 << 26, retainedBytes: 0)
    _ = try await worker.store.extendHistory(ComponentWorker.id(1), policy)
    let pieces = try worker.store.historyPieces(of: ComponentWorker.id(1))
    #expect(pieces.first?.first == 1)
    #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $1.first == $0.last + 1 }, "\(pieces)")
  }

  @Test(
    "If a session ends during its compaction, the compaction is abandoned, and the log keeps its last record")
  func endsMeanwhile() async throws {
    let worker = try Self.worker()
    worker.store.holdCompactions(true)
    try await worker.makeSession()
    let writer = try await worker.join()
    try await worker.supersede(from: writer)
    await worker.end(from: writer)
    worker.store.holdCompactions(false)
    await worker.turn()
    #expect(worker.store.compactionsAbandoned == 1)
    #expect(await worker.compactions == 0)
    #expect(try await worker.lastRecord() == .end)
  }
}

extension ComponentWorker {
  fileprivate var compactions: UInt64 { counters.values.compactions }

  fileprivate func logBytes(_ number: UInt64 = 1) throws -> Int {
    try store.byteCount(of: Self.id(number)) ?? 0
  }

  /// Performs turns until the store has everything that participants sent. Other tasks may still be running.
  fileprivate func store(_ number: UInt64) async {
    repeat {
      // The clock advances only to times at which work is due, and not while the store's thread is still working.
      let due = [persister.nextDeadline, broadcaster.nextDeadline].compactMap { $0 }.min()
      if let due, due > now { advance(due - now) }
      turnOnce()
      await Task.yield()
    } while broadcaster.hasWork || sessions[Self.id(number)].map { $0.session.unsavedBytes > 0 } ?? false
  }

  /// Ends session 1, and waits until the session is removed from the table. Other tasks may still be running then.
  fileprivate func end(from client: Int) async {
    send(.text, Array(#"{"end":{}}"#.utf8), from: client)
    while sessions[Self.id(1)] != nil { await store(1) }
  }

  /// Sends 2.4 MB of entries that supersede each other, but stops when the compaction of the log begins.
  fileprivate func supersede(_ number: UInt64 = 1, from writer: Int) async throws {
    for round in 0..<60 where !store.compactionsBegun.contains(Self.id(number)) {
      draw([UInt8](repeating: UInt8(round), count: 40_000), retention: .replace, key: .shape, from: writer)
      // Entries are sent no faster than a participant may send them.
      advance(.seconds(1))
      await store(number)
      _ = try received(by: writer)
      becomeWritable(writer)
    }
  }

  /// Unloads the session, and returns the entries that a new participant gets after the session was loaded again.
  fileprivate func entriesAfterReload(_ writer: Int) async throws -> [Received] {
    breakConnection(of: writer)
    for _ in 0..<10 where sessions[Self.id(1)] != nil {
      advance(.seconds(60))
      await turn()
    }
    try #require(sessions[Self.id(1)] == nil)
    let newcomer = try await join()
    await turn()
    return try entriesAndCloses(of: newcomer)
  }

  fileprivate func lastRecord() throws -> SessionRecord.Kind? {
    try store.summary(of: Self.id(1)).last.flatMap { SessionRecord.Kind(rawValue: $0.0) }
  }
}

extension EntryKey {
  /// The key of the shape that is replaced.
  fileprivate static let shape = EntryKey(high: 1, low: 1)
}
