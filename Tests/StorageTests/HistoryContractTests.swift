import Glibc
import SessionCore
import Storage
import TestSupport
import Testing
import Wire

/// The rules for a session's history, which every implementation of `SessionStore` must follow.
@Suite("Contract of a store: the history of a session")
struct HistoryContractTests {
  @Test(
    "An extension copies the entries that the history lacks, with their times",
    arguments: StoreKind.allCases)
  func extends(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    #expect(try fixture.store.historyPieces(of: .one).isEmpty)
    await fixture.append([.stroke(1), .time(1_000), .stroke(2, key: 2)])
    let first = try await fixture.store.extendHistory(.one, .large)
    #expect(first.through == 2)
    #expect(first.byteCount > 0)
    await fixture.append([.stroke(3, retention: .remove), .time(5_000), .numbers])
    let second = try await fixture.store.extendHistory(.one, .large)
    #expect(second.through == 3)
    #expect(second.byteCount > first.byteCount)
    #expect(try await fixture.store.extendHistory(.one, .large) == second)
    let history = try ReadHistory(in: fixture.store)
    #expect(history.pieces.map(\.kind) == [.chunk, .chunk])
    #expect(history.pieces.map(\.first) == [1, 3])
    #expect(history.sequences == [1, 2, 3])
    #expect(
      history.marks == [
        #"{"from":1,"to":1,"time":1000}"#, #"{"from":2,"to":2}"#, #"{"from":3,"to":3,"time":5000}"#,
      ])
    #expect(history.pieces.reduce(0) { $0 + $1.byteCount } == second.byteCount)
    let block = try #require(try fixture.store.openHistory(history.pieces[0], of: .one).blocks.first)
    #expect(block.first == 1 && block.last == 2 && block.entryCount == 2)
    #expect(block.firstTime == 1_000 && block.lastTime == 1_000)
    #expect(block.senders.map(\.sender) == [1] && block.senders.map(\.count) == [2])
  }

  @Test(
    "After an extension and a compaction, the history has all entries; the next extension continues it",
    arguments: StoreKind.allCases)
  func survivesCompaction(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    let payload = [UInt8](repeating: 7, count: 20_000)
    for sequence in 1...20 as ClosedRange<UInt64> {
      await fixture.append([.stroke(sequence, key: sequence % 3, payload: payload), .time(Int(sequence))])
    }
    _ = try await fixture.store.extendHistory(.one, .large)
    try await fixture.store.beginCompaction(.one, CompactionPlan(through: 15, head: [.session]))
    try await fixture.store.addToCompaction(.one, [.base(15, entry: 15, key: 0)])
    _ = try await fixture.store.finishCompaction(.one)
    await fixture.append([.stroke(21), .time(21)])
    #expect(try await fixture.store.extendHistory(.one, .large).through == 21)
    let history = try ReadHistory(in: fixture.store)
    #expect(history.sequences == Array(1...21))
    #expect(history.states.isEmpty)
  }

  @Test(
    "If the log has dropped entries, a new history begins with the state of its `base` records",
    arguments: StoreKind.allCases)
  func beginsWithBase(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(
      .one,
      [
        .session, .base(10, entry: 4, key: 1), .base(10, entry: 9, key: 2), .stroke(10), .stroke(11, key: 2),
      ])
    #expect(try await fixture.store.extendHistory(.one, .large).through == 11)
    let history = try ReadHistory(in: fixture.store)
    #expect(history.pieces.map(\.kind) == [.state, .chunk])
    #expect(history.states == [10: [4, 9]])
    #expect(history.sequences == [11])
  }

  @Test(
    "A state follows each 4 MiB of entries: the retained entries of each key at their end",
    arguments: StoreKind.allCases)
  func writesStates(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    let payload = [UInt8](repeating: 7, count: 100_000)
    for sequence in 1...100 as ClosedRange<UInt64> {
      let record = SessionRecord.stroke(
        sequence, key: sequence % 5, retention: sequence % 20 == 5 ? .remove : .replace,
        payload: sequence % 20 == 5 ? [] : payload)
      await fixture.append([record])
    }
    _ = try await fixture.store.extendHistory(.one, .large)
    let history = try ReadHistory(in: fixture.store)
    #expect(history.sequences == Array(1...100))
    #expect(history.states.count == 2)
    for (sequence, entries) in history.states {
      var retained: [UInt64: UInt64] = [:]
      for entry in 1...sequence { retained[entry % 5] = entry % 20 == 5 ? nil : entry }
      #expect(entries == retained.values.sorted(), "state at \(sequence)")
    }
  }

  @Test(
    "The oldest pieces are removed when the history exceeds its size; the rest begins with a state",
    arguments: StoreKind.allCases)
  func isBounded(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    var random = SeededGenerator(seed: 1)
    let payload = random.bytes(count: 200_000)
    let policy = HistoryPolicy(byteCount: 12 << 20, retainedBytes: 0)
    var extent = HistoryExtent(byteCount: 0, through: 0)
    for sequence in 1...100 as ClosedRange<UInt64> {
      await fixture.append([.stroke(sequence, payload: payload)])
      if sequence.isMultiple(of: 25) { extent = try await fixture.store.extendHistory(.one, policy) }
    }
    #expect(extent.byteCount <= policy.byteCount && extent.byteCount > 4 << 20)
    let history = try ReadHistory(in: fixture.store)
    let first = try #require(history.pieces.first)
    #expect(first.kind == .state && first.last > 1)
    #expect(history.sequences == Array(first.last + 1...100))
    #expect(history.states[first.last] == [first.last])
  }

  @Test(
    "A state that does not fit into the history is not written repeatedly",
    arguments: StoreKind.allCases)
  func skipsLargeStates(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    await fixture.append([.stroke(1)])
    let small = HistoryPolicy(byteCount: 1_000, retainedBytes: 2_001)
    #expect(try await fixture.store.extendHistory(.one, small) == HistoryExtent(byteCount: 0, through: 0))
    #expect(try fixture.store.historyPieces(of: .one).isEmpty)
  }

  @Test(
    "An extension with fewer than the minimum bytes does nothing", arguments: StoreKind.allCases)
  func needsBytes(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    await fixture.append([.stroke(1, payload: [UInt8](repeating: 1, count: 1_000))])
    let policy = HistoryPolicy(byteCount: 1 << 20, retainedBytes: 0, minimumBytes: 100_000)
    #expect(try await fixture.store.extendHistory(.one, policy).through == 0)
    await fixture.append([.stroke(2, payload: [UInt8](repeating: 1, count: 100_000))])
    #expect(try await fixture.store.extendHistory(.one, policy).through == 2)
  }

  @Test(
    "If the log has dropped entries that the history lacks, the minimum bytes do not matter",
    arguments: StoreKind.allCases)
  func needsBase(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session, .base(10, entry: 4, key: 1), .stroke(11, key: 2)])
    let policy = HistoryPolicy(byteCount: 1 << 20, retainedBytes: 0, minimumBytes: 100_000)
    #expect(try await fixture.store.extendHistory(.one, policy).through == 11)
    let before = try fixture.store.historyPieces(of: .one)
    #expect(before.map(\.kind) == [.state, .chunk])
    await fixture.append([.stroke(12, key: 2)])
    #expect(try await fixture.store.extendHistory(.one, policy).through == 11)
    #expect(try fixture.store.historyPieces(of: .one) == before)
  }

  @Test("Pieces beyond a sequence are removed", arguments: StoreKind.allCases)
  func trims(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    for sequence in 1...3 as ClosedRange<UInt64> {
      await fixture.append([.stroke(sequence)])
      _ = try await fixture.store.extendHistory(.one, .large)
    }
    try await fixture.store.trimHistory(of: .one, after: 3)
    #expect(try ReadHistory(in: fixture.store).sequences == [1, 2, 3])
    let rest = try await fixture.store.trimHistory(of: .one, after: 2)
    #expect(rest.through == 2 && rest.byteCount > 0)
    #expect(try ReadHistory(in: fixture.store).sequences == [1, 2])
    try await fixture.store.trimHistory(of: .one, after: 0)
    #expect(try fixture.store.historyPieces(of: .one).isEmpty)
  }

  @Test(
    "The tail has the runs after a sequence with their times, up to a limit", arguments: StoreKind.allCases)
  func tail(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    #expect(try await fixture.store.historyTail(of: .one, after: 0, upTo: 1_000).isEmpty)
    await fixture.append([.stroke(1), .time(1), .numbers, .stroke(2), .time(2), .stroke(3)])
    let store = fixture.store
    #expect(
      try await store.historyTail(of: .one, after: 0, upTo: 1_000)
        == [.stroke(1), .time(1), .stroke(2), .time(2), .stroke(3)])
    #expect(try await store.historyTail(of: .one, after: 1, upTo: 1) == [.stroke(2), .time(2)])
    #expect(try await store.historyTail(of: .one, after: 3, upTo: 1_000).isEmpty)
  }

  @Test("The histories of many sessions can be extended at the same time", arguments: StoreKind.allCases)
  func extendsMany(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    let store = fixture.store
    let ids = (1...6 as ClosedRange<UInt64>).map { SessionID(high: 9, low: $0) }
    for id in ids { try await store.create(id, [.session, .stroke(1)]) }
    let ends = try await withThrowingTaskGroup(of: UInt64.self) { group in
      for id in ids { group.addTask { try await store.extendHistory(id, .large).through } }
      var ends: [UInt64] = []
      for try await end in group { ends.append(end) }
      return ends
    }
    #expect(ends == [UInt64](repeating: 1, count: ids.count))
    for id in ids { #expect(try fixture.store.historyPieces(of: id).count == 1) }
  }

  @Test("A removed session has no history", arguments: StoreKind.allCases)
  func removes(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    await fixture.append([.stroke(1)])
    _ = try await fixture.store.extendHistory(.one, .large)
    try await fixture.store.remove(.one)
    #expect(throws: StorageError.self) { _ = try fixture.store.historyPieces(of: .one) }
    try await fixture.store.create(.one, [.session])
    #expect(try fixture.store.historyPieces(of: .one).isEmpty)
  }
}
