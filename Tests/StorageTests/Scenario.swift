import SessionCore
import Storage
import Testing
import Wire

/// Operations on two sessions, and the results that were reported as stored. The entries of each session are numbered from 1.
///
/// Every failing call is repeated, up to a number of attempts. After the last attempt, the scenario ends with the error of the
/// call.
final class Scenario {
  /// The requests for a session, and the reported results.
  struct Said {
    enum Life { case none, maybe, certain }

    var created = Life.none
    var removed = Life.none
    /// The last sequence that was given to the store.
    var sent: UInt64 = 0
    /// The last sequence that was reported as stored.
    var kept: UInt64 = 0
  }

  private let fixture: StoreFixture
  private let attempts: Int
  private(set) var said: [SessionID: Said] = [.one: Said(), .two: Said()]

  private var store: FolderStore { fixture.store }

  init(_ fixture: StoreFixture, attempts: Int) {
    self.fixture = fixture
    self.attempts = attempts
  }

  func run() async throws {
    try await create(.one)
    try await create(.two)
    for _ in 0..<3 { try await append([.one, .two]) }
    try await append([.two])
    try await compact(.one, through: 2)
    try await append([.one, .two])
    await store.release(.one)
    try await open(.one)
    for _ in 0..<3 { try await append([.one]) }
    try await compact(.one, through: 5)
    try await append([.one, .two])
    try await again { try await self.store.syncAll() }
    said[.two]?.removed = .maybe
    try await again { try await self.store.remove(.two) }
    said[.two]?.removed = .certain
    try await append([.one])
  }

  private func again<Result>(_ body: () async throws -> Result) async throws -> Result {
    for _ in 1..<max(attempts, 1) {
      // An error is ignored, because the last attempt below throws its own error.
      if let result = try? await body() { return result }
    }
    return try await body()
  }

  private func create(_ id: SessionID) async throws {
    said[id]?.created = .maybe
    try await again { try await self.store.create(id, [.session, .numbers]) }
    said[id]?.created = .certain
  }

  private func append(_ ids: [SessionID]) async throws {
    var missing = ids
    var error: StorageError?
    for _ in 0..<max(attempts, 1) {
      // A repeated append contains the records of the failed append and one more entry.
      let ids = missing
      let appends = ids.map { fixture.numbered($0, [.numbers] + next(of: $0)) }
      for (id, outcome) in zip(ids, await store.append(appends).outcomes) {
        switch outcome.result {
        case .success:
          let sent = said[id]?.sent ?? 0
          said[id]?.kept = sent
          missing.removeAll { $0 == id }
        case .failure(let failure): error = failure
        }
      }
      if missing.isEmpty { return }
    }
    if let error { throw error }
  }

  /// Returns the records of all entries that are not reported as stored, and of one more entry.
  private func next(of id: SessionID) -> [SessionRecord] {
    let said = self.said[id, default: Said()]
    self.said[id]?.sent = said.sent + 1
    // Some records are so long that the store marks the offsets of the records after them (`LogMarks`).
    return (said.kept + 1...said.sent + 1).map { .run($0, payload: $0 % 3 == 0 ? 70_000 : 100) }
  }

  private func open(_ id: SessionID) async throws {
    try await again {
      let end = try self.fixture.read(id).end
      _ = try await self.store.adopt(id, end, [.session, .numbers])
    }
  }

  private func compact(_ id: SessionID, through: UInt64) async throws {
    try await again {
      try await self.store.beginCompaction(id, [.session, .numbers], through: through)
      try await self.append([id])
      try await self.store.addToCompaction(id, [.base(through / 2), .base(through)])
      let finishing = Task { [store = self.store] in try await store.finishCompaction(id) }
      for _ in 0..<2 { try await self.append([id]) }
      _ = try await finishing.value
    }
  }
}

/// The content of a session's records, as a session restores it.
struct Replayed: Equatable {
  /// The sequence up to which `base` records replace the entries.
  private(set) var through: UInt64 = 0
  /// The sequences of the entries that no `base` record replaces.
  private(set) var sequences: [UInt64] = []
  private(set) var beginsWithSession = false
  private(set) var knowsNumbers = false

  var last: UInt64 { sequences.last ?? through }

  init(_ records: [SessionRecord]) {
    beginsWithSession = records.first?.kind == .session
    for record in records {
      switch record.kind {
      case .base: through = max(through, record.body.span.uint64(at: 0))
      case .run:
        let sequence = record.body.span.uint64(at: 14)
        if sequence > last { sequences.append(sequence) }
      case .numbers: knowsNumbers = true
      default: break
      }
    }
  }

  /// True if no sequence is missing.
  var isSeamless: Bool { sequences.elementsEqual(through + 1..<last + 1) }
}

extension Scenario {
  /// Checks that a disk has all records that were reported as stored, and that the sessions can continue.
  func check(_ disk: any SessionDisk, afterPowerCut: Bool = false, _ hint: String) async throws {
    let fixture = try StoreFixture(disk, .full)
    for (id, said) in said {
      let isThere = try fixture.store.byteCount(of: id) != nil
      switch (said.created, said.removed) {
      case (.certain, .none): #expect(isThere, "\(hint): a created session is missing")
      case (.none, _): #expect(!isThere, "\(hint): a session exists that was never created")
      // After a power cut, a removed session may exist again, because the removal is not synced.
      case (_, .certain): #expect(!isThere || afterPowerCut, "\(hint): a removed session exists again")
      default: break
      }
      guard isThere else { continue }
      let (records, end) = try fixture.read(id)
      let replayed = Replayed(records)
      #expect(replayed.isSeamless, "\(hint): \(replayed)")
      #expect(replayed.last >= said.kept, "\(hint): \(replayed) lacks stored entries up to \(said.kept)")
      #expect(
        replayed.last <= said.sent, "\(hint): \(replayed) has entries that were not sent, after \(said.sent)")
      #expect(replayed.beginsWithSession && replayed.knowsNumbers, "\(hint): \(records.map(\.kind))")
      _ = try await fixture.store.adopt(id, end, [.numbers])
      _ = try await fixture.append([.run(replayed.last + 1)], to: id).get()
      let after = try fixture.read(id)
      #expect(Replayed(after.records).sequences == replayed.sequences + [replayed.last + 1], "\(hint)")
      #expect(after.end.damage == nil, "\(hint)")
    }
  }
}
