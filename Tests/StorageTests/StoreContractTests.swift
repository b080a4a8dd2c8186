import FoundationEssentials
import Glibc
import Platform
import SessionCore
import Storage
import Testing
import Wire

/// The contract of `SessionStore`, which every implementation fulfils. These tests use the protocol only, and no files.
@Suite("Contract of a session store")
struct StoreContractTests {
  @Test(
    "A session is created with its first records, and no second session can be created with its id",
    arguments: StoreKind.allCases)
  func creates(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    #expect(try fixture.store.sessions() == [])
    #expect(try fixture.store.byteCount(of: .one) == nil)
    #expect(try !fixture.store.holdsSession(.one))
    try await fixture.store.create(.one, [.session, .numbers])
    try await fixture.store.create(.two, [])
    #expect(try fixture.read().records == [.session, .numbers])
    #expect(try fixture.read(.two).records == [])
    #expect(try Set(fixture.store.sessions()) == [.one, .two])
    #expect(try fixture.store.holdsSession(.one))
    await #expect(throws: StorageError(.makeSession, code: EEXIST)) {
      try await fixture.store.create(.one, [.numbers])
    }
    #expect(try fixture.read().records == [.session, .numbers])
  }

  @Test("A batch appends to many sessions, and each has its own outcome", arguments: StoreKind.allCases)
  func appends(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    try await fixture.store.create(.two, [.session])
    let batch = [
      fixture.numbered(.one, [.numbers, .run(1)]), fixture.numbered(.three, [.numbers]),
      fixture.numbered(.two, [.run(1)]), fixture.numbered(.one, [.run(2)]), fixture.numbered(.two, []),
    ]
    let outcomes = await fixture.store.append(batch).outcomes
    let sizes = outcomes.map { if case .stored(let byteCount) = $0 { byteCount } else { -1 } }
    #expect(outcomes[1] == .fenced)
    #expect(sizes[0] > 0 && sizes[3] > sizes[0] && sizes[2] == sizes[4])
    #expect(try fixture.read().records == [.session, .numbers, .run(1), .run(2)])
    #expect(try fixture.read(.two).records == [.session, .run(1)])
    #expect(try fixture.store.byteCount(of: .one) == sizes[3])
    #expect(try fixture.read().reading.byteCount == sizes[3])
    #expect(try !fixture.store.holdsSession(.three))
    try await fixture.store.syncAll()
  }

  @Test("Records can be appended to the sessions of every shard", arguments: StoreKind.allCases)
  func shards(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    for number in 0..<20 as Range<UInt64> {
      let id = SessionID(high: number, low: number)
      #expect((0..<fixture.store.shardCount).contains(fixture.store.shard(of: id)))
      try await fixture.store.create(id, [.session])
      await fixture.append([.run(1)], to: id)
      #expect(try fixture.read(id).records == [.session, .run(1)])
    }
  }

  @Test(
    "An append repeated with the same number is stored once; with the next number, it is stored again",
    arguments: StoreKind.allCases)
  func repeatsAppends(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    let append = fixture.numbered(.one, [.run(1)])
    let first = await fixture.store.append([append]).outcomes
    for _ in 0..<3 { #expect(await fixture.store.append([append]).outcomes == first) }
    // An append with the same records but another number is a different append, so it is stored too.
    await fixture.append([.run(1)])
    #expect(try fixture.read().records == [.session, .run(1), .run(1)])
  }

  @Test(
    "Appends to a released session are fenced. After the session is adopted at the end of its log, appends are stored again",
    arguments: StoreKind.allCases)
  func releases(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    await fixture.store.release(.one)
    #expect(await fixture.append([.run(1)]) == .fenced)
    #expect(try fixture.read().records == [.session])
    let adoption = try await fixture.adopt(.one, [.numbers])
    #expect(adoption == .adopted(byteCount: try #require(try fixture.store.byteCount(of: .one))))
    await fixture.append([.run(1)])
    #expect(try fixture.read().records == [.session, .numbers, .run(1)])
    // Releasing a session that has no owner is no error.
    await fixture.store.release(.one)
    await fixture.store.release(.one)
    await fixture.store.release(.three)
    _ = try await fixture.adopt()
    await fixture.append([.run(2)])
    #expect(try fixture.read().records == [.session, .numbers, .run(1), .run(2)])
  }

  @Test(
    "A session that has changed after it was read, or that has an owner, is not adopted",
    arguments: StoreKind.allCases)
  func refusesStalePositions(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    let old = try fixture.read().reading.position
    await fixture.append([.run(1)])
    await fixture.store.release(.one)
    await #expect(throws: StorageError(.openLog, code: ESTALE)) {
      _ = try await fixture.store.adopt(.one, old, [.numbers])
    }
    _ = try await fixture.adopt()
    await #expect(throws: StorageError(.openLog, code: ESTALE)) {
      _ = try await fixture.adopt(.one, [.numbers])
    }
    #expect(try fixture.read().records == [.session, .run(1)])
  }

  @Test(
    "A session is removed with its attachments; later appends are fenced, and a second removal is no error",
    arguments: StoreKind.allCases)
  func removes(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    try await fixture.store.create(.two, [.session])
    _ = try fixture.attachments.createUpload(UUID(), of: .one)
    try await fixture.store.remove(.one)
    #expect(await fixture.append([.run(1)]) == .fenced)
    #expect(try fixture.store.sessions() == [.two])
    #expect(try !fixture.store.holdsSession(.one))
    #expect(try fixture.attachments.files(of: .one) == [])
    #expect(throws: StorageError(.openLog, code: ENOENT)) { _ = try fixture.read() }
    #expect(throws: StorageError(.openLog, code: ENOENT)) {
      _ = try fixture.store.summary(of: .one)
    }
    try await fixture.store.remove(.one)
    try await fixture.store.create(.one, [.numbers])
    #expect(try fixture.read().records == [.numbers])
  }

  @Test(
    "The last record and the header of a log can be read without the other records",
    arguments: StoreKind.allCases)
  func summarizes(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session, .numbers])
    await fixture.append([.run(1), .numbers])
    let summary = try fixture.store.summary(of: .one)
    #expect(summary.last?.kind == SessionRecord.Kind.numbers.rawValue)
    #expect(summary.last?.body == SessionRecord.numbers.body)
    #expect(try summary.byteCount == fixture.store.byteCount(of: .one))
    #expect(try fixture.store.header(of: .one) == SessionRecord.session.body)
    #expect(!fixture.store.keepsDamage(of: .one))
    try await fixture.store.create(.two, [.numbers])
    #expect(try fixture.store.header(of: .two) == nil)
  }

  // MARK: - Compacting

  @Test(
    "A compacted log has the new head, the slices, and all old records from the first run after sequence `through`",
    arguments: StoreKind.allCases)
  func compacts(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session])
    for sequence in 1...30 as ClosedRange<UInt64> {
      await fixture.append([.run(sequence, payload: 20_000), .numbers])
    }
    let before = try #require(try fixture.store.byteCount(of: .one))
    try await fixture.store.beginCompaction(.one, CompactionPlan(through: 29, head: [.session]))
    try await fixture.store.addToCompaction(.one, [.base(29)])
    await fixture.append([.run(31)])
    try await fixture.store.addToCompaction(.one, [.base(29)])
    let after = try await fixture.store.finishCompaction(.one)
    #expect(after < before)
    #expect(try fixture.store.byteCount(of: .one) == after)
    let records = try fixture.read().records
    #expect(records.prefix(3) == [.session, .base(29), .base(29)])
    // An implementation may keep older runs too, because the `base` records say that the runs are superseded.
    #expect(records.suffix(3) == [.run(30, payload: 20_000), .numbers, .run(31)])
    await fixture.append([.run(32)])
    #expect(try fixture.read().records.last == .run(32))
  }

  @Test(
    "An abandoned compaction has no effect. A release, or the start of a new compaction, abandons the current one",
    arguments: StoreKind.allCases)
  func abandonsCompactions(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    try await fixture.store.create(.one, [.session, .run(1)])
    let plan = CompactionPlan(through: 1, head: [.numbers])
    try await fixture.store.beginCompaction(.one, plan)
    await fixture.store.abandonCompaction(.one)
    await fixture.store.abandonCompaction(.one)
    await #expect(throws: StorageError(.compactLog, code: ECANCELED)) {
      try await fixture.store.addToCompaction(.one, [.base(1)])
    }
    try await fixture.store.beginCompaction(.one, plan)
    await fixture.store.release(.one)
    await #expect(throws: StorageError(.compactLog, code: ECANCELED)) {
      _ = try await fixture.store.finishCompaction(.one)
    }
    #expect(try fixture.read().records == [.session, .run(1)])
    _ = try await fixture.adopt()
    try await fixture.store.beginCompaction(.one, plan)
    try await fixture.store.addToCompaction(.one, [.base(0)])
    try await fixture.store.beginCompaction(.one, CompactionPlan(through: 1, head: [.session]))
    _ = try await fixture.store.finishCompaction(.one)
    #expect(try fixture.read().records.first == .session)
    #expect(try !fixture.read().records.contains(.base(0)))
  }

  // MARK: - Several owners

  @Test(
    "A session with an owner is not adopted by another gateway, which gets the owner's address",
    arguments: StoreKind.shared)
  func refusesOtherOwners(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    let other = try fixture.other(address: "b:8444")
    let third = try fixture.other(address: "c:8444")
    try await other.store.create(.one, [.session])
    #expect(try await third.adopt(.one, [.numbers]) == .ownedElsewhere(address: "b:8444"))
    #expect(await third.append([.run(1)]) == .fenced)
    #expect(try third.read().records == [.session])
  }

  @Test(
    "A gateway that loses its sessions is fenced and notified. The next owner continues after the last record",
    arguments: StoreKind.shared)
  func losesOwnership(_ kind: StoreKind) async throws {
    let fixture = try kind.make()
    let (old, new) = (try fixture.other(address: "a:1"), try fixture.other(address: "b:1"))
    let lost = Guarded<[SessionID]>([])
    old.store.setLossHandler { id in lost.withLock { $0.append(id) } }
    try await old.store.create(.one, [.session])
    try await old.store.create(.two, [.session])
    try await old.loseSessions()
    #expect(lost.withLock { Set($0) } == [.one, .two])
    #expect(await old.append([.run(1)]) == .fenced)
    #expect(
      try await new.adopt(.one, [.numbers])
        == .adopted(byteCount: try #require(try new.store.byteCount(of: .one))))
    #expect(await old.append([.run(1)]) == .fenced)
    await new.append([.run(2)])
    #expect(try old.read().records == [.session, .numbers, .run(2)])
  }
}

extension ContractStore {
  /// Returns another store of the same sessions.
  func other(address: String) throws -> ContractStore {
    let memory = try #require(store as? MemoryStore)
    return ContractStore(
      store: MemoryStore(sharing: memory, address: address), attachments: attachments, folder: folder)
  }

  /// Takes the ownership of all sessions away from this store, so that another store may adopt them.
  func loseSessions() async throws {
    await (try #require(store as? MemoryStore)).loseSessions()
  }
}

extension SessionID {
  static let three = SessionID(high: 3, low: 3)
}
