import FoundationEssentials
import Glibc
import SessionCore
import Storage
import Testing
import Wire
import TestSupport

@Suite("FolderStore creates, appends to, compacts and removes the logs of sessions")
struct FolderStoreTests {
  @Test("ST7 A session is created completely, and only once", arguments: Backend.allCases)
  func creates(_ backend: Backend) async throws {
    let bench = try backend.make()
    let fixture = try StoreFixture(bench, .full)
    try await fixture.store.create(.one, [.session, .numbers])
    #expect(try fixture.store.sessions() == [.one])
    #expect(try fixture.read().records == [.session, .numbers])
    await #expect(throws: StorageError(.makeSession, code: EEXIST)) {
      try await fixture.store.create(.one, [.session])
    }
    await fixture.store.release(.one)
    await #expect(throws: StorageError(.makeSession, code: EEXIST)) {
      try await fixture.store.create(.one, [.session])
    }
    #expect(try fixture.read().records == [.session, .numbers])
    #expect(bench.folder?.names(in: "sessions.new") ?? [] == [])
  }

  @Test(
    "ST1 A batch stores the records of many sessions, and reports the length of each log",
    arguments: Backend.allCases)
  func appends(_ backend: Backend) async throws {
    for durability in [Durability.process, .full] {
      let fixture = try StoreFixture(backend.make(), durability)
      try await fixture.store.create(.one, [.session])
      try await fixture.store.create(.two, [.session])
      let unknown = SessionID(high: 9, low: 9)
      let outcomes = await fixture.store.append([
        fixture.numbered(.one, [.numbers, .run(1)]), fixture.numbered(unknown, [.numbers]),
        fixture.numbered(.two, [.run(1)]), fixture.numbered(.one, [.run(2)]), fixture.numbered(.two, []),
      ]).outcomes
      // The format record has 33 bytes, `.session` 15, `.numbers` 17, and a run with a payload of ten bytes 53.
      let lengths = outcomes.map { try? $0.result.get() }
      #expect(outcomes[1] == .fenced)
      #expect(lengths == [33 + 15 + 17 + 53, nil, 33 + 15 + 53, 33 + 15 + 17 + 53 + 53, 33 + 15 + 53])
      #expect(try fixture.read(.one).records == [.session, .numbers, .run(1), .run(2)])
      #expect(try fixture.read(.two).records == [.session, .run(1)])
      #expect(try fixture.store.byteCount(of: .two) == 33 + 15 + 53)
      try await fixture.store.syncAll()
    }
  }

  @Test(
    "If a log was closed because too many files were open, the next append continues at the end of the log",
    arguments: Backend.allCases)
  func closesFiles(_ backend: Backend) async throws {
    let fixture = try StoreFixture(backend.make(), openFiles: 3)
    let ids = (1...10).map { SessionID(high: 7, low: $0) }
    for id in ids { try await fixture.store.create(id, [.session]) }
    for sequence in 1...5 as ClosedRange<UInt64> {
      let appends = ids.map { fixture.numbered($0, [.run(sequence)]) }
      for outcome in await fixture.store.append(appends).outcomes {
        _ = try outcome.result.get()
      }
    }
    for id in ids {
      #expect(try fixture.read(id).records == [.session] + (1...5).map { SessionRecord.run($0) })
    }
  }

  @Test("The store does not write to a log that another program has changed", arguments: Backend.allCases)
  func stale(_ backend: Backend) async throws {
    let bench = try backend.make()
    let fixture = try StoreFixture(bench, openFiles: 1)
    try await fixture.store.create(.one, [.session, .numbers])
    let end = try fixture.read().end
    // The store keeps at most one file open, so this call closes the file of the first session.
    try await fixture.store.create(.two, [.session])
    let file = try bench.disk.openFile(.current, of: .one, toWrite: true)
    try file.truncate(to: end.length - 17)
    let outcome = await fixture.append([.run(1)])
    #expect(throws: StorageError(.openLog, code: ESTALE)) { try outcome.get() }
    await fixture.store.release(.one)
    await #expect(throws: StorageError(.openLog, code: ESTALE)) {
      try await fixture.store.adopt(.one, end, [.run(1)])
    }
    _ = try await fixture.store.adopt(.one, fixture.read().end, [.run(1)])
    #expect(try fixture.read().records == [.session, .run(1)])
    await #expect(throws: StorageError(.openLog, code: ESTALE)) {
      try await fixture.store.adopt(.one, fixture.read().end, [.run(2)])
    }
  }

  @Test("On a read-only disk, logs can be read, and all other calls report the error")
  func readOnly() async throws {
    let memory = MemoryDisk()
    try await StoreFixture(memory).store.create(.one, [.session])
    let fixture = try StoreFixture(memory)
    let end = try fixture.read().end
    let plan = FaultyDisk.Plan(call: 1, code: EROFS, lasts: true)
    let error = await #expect(throws: StorageError.self) {
      try await StoreFixture(FaultyDisk(memory, plan)).store.adopt(.one, end, [.numbers])
    }
    #expect(error?.description == "cannot open the log of a session: Read-only file system")
    #expect(error?.isFull == false)
    #expect(try fixture.read().records == [.session])
  }

  @Test(
    "ST2 If one record of an append is too long, the append is refused, and none of its records is written")
  func tooLong() async throws {
    let fixture = try StoreFixture(MemoryDisk())
    try await fixture.store.create(.one, [.session])
    let long = SessionRecord(kind: .upload, body: [UInt8](repeating: 0, count: 1 << 26))
    let outcome = await fixture.append([.numbers, long])
    #expect(throws: StorageError(.writeLog, code: EMSGSIZE)) { try outcome.get() }
    #expect(StorageError(.writeLog, code: EMSGSIZE).isFull == false)
    _ = try await fixture.append([.run(1)]).get()
    #expect(try fixture.read().records == [.session, .run(1)])
  }

  @Test(
    "The last record and the time of its write are found by reading the log from its end",
    arguments: Backend.allCases)
  func lastRecord(_ backend: Backend) async throws {
    let bench = try backend.make()
    let fixture = try StoreFixture(bench)
    try await fixture.store.create(.one, [.session])
    #expect(try fixture.store.lastRecord(of: .one)?.kind == 1)
    _ = try await fixture.append([.run(1, payload: 2_000_000), .numbers]).get()
    let last = try #require(try fixture.store.lastRecord(of: .one))
    #expect(last.kind == 3 && last.body == [0, 0, 0x10, 0])
    #expect(last.length == (try fixture.store.byteCount(of: .one)))
    #expect(
      last.modified == (try bench.disk.openFile(.current, of: .one, toWrite: false).information().modified))
    // The log is longer than the read buffer.
    #expect(try fixture.read().records == [.session, .run(1, payload: 2_000_000), .numbers])
    let file = try bench.disk.openFile(.current, of: .one, toWrite: true)
    try file.truncate(to: last.length - 1)
    #expect(try fixture.store.lastRecord(of: .one) == nil)
  }

  @Test(
    "ST6 A compacted log has the same entries as the old one, and all records that were appended during the compaction",
    arguments: Backend.allCases)
  func compacts(_ backend: Backend) async throws {
    let bench = try backend.make()
    let fixture = try StoreFixture(bench)
    let store = fixture.store
    try await store.create(.one, [.session, .numbers])
    // The runs are longer than the minimum distance of `LogMarks`, so the store records the offset of each run.
    let runs = (1...40).map { SessionRecord.run($0, payload: 70_000) }
    for run in runs[..<20] { _ = try await fixture.append([.numbers, run]).get() }
    try await store.beginCompaction(.one, [.session], through: 9)
    try await store.addToCompaction(.one, [.base(4)])
    for run in runs[20..<25] { _ = try await fixture.append([run]).get() }
    try await store.addToCompaction(.one, [.base(9)])
    let before = try fixture.read().end.length
    async let finished = store.finishCompaction(.one)
    for run in runs[25...] { _ = try await fixture.append([run]).get() }
    let length = try await finished
    let (records, end) = try fixture.read()
    #expect(records.prefix(4) == [.session, .base(4), .base(9), runs[9]])
    #expect(records.filter { $0.kind == .run } == Array(runs[9...]))
    // The length after an append includes records that were appended after `finishCompaction` began.
    #expect(length <= end.length && length < before + 15 * 70_043 - 8 * 70_043)
    #expect(try bench.bytes(.next) == nil)
    // The store has recorded the offsets of the runs in the compacted log, so that the next compaction begins at the right
    // offset.
    try await store.beginCompaction(.one, [.session], through: 38)
    try await store.addToCompaction(.one, [.base(38)])
    #expect(try await store.finishCompaction(.one) == 33 + 15 + 21 + 2 * 70_043)
    _ = try await fixture.append([.run(41)]).get()
    #expect(try fixture.read().records == [.session, .base(38), runs[38], runs[39], .run(41)])
    // The store closes and reopens the log. After that, it uses the run offsets that were recorded when the log was read.
    await store.release(.one)
    _ = try await store.adopt(.one, fixture.read().end, [.numbers])
    try await store.beginCompaction(.one, [.session], through: 39)
    try await store.addToCompaction(.one, [.base(39)])
    _ = try await store.finishCompaction(.one)
    #expect(try fixture.read().records == [.session, .base(39), runs[39], .run(41), .numbers])
  }

  @Test("A compaction of a log without entries keeps records that are appended during the compaction")
  func compactsEmpty() async throws {
    let fixture = try StoreFixture(MemoryDisk(), .full)
    try await fixture.store.create(.one, [.session, .numbers])
    try await fixture.store.beginCompaction(.one, [.session, .base(0)], through: 0)
    _ = try await fixture.append([.numbers]).get()
    #expect(try await fixture.store.finishCompaction(.one) == 33 + 15 + 21 + 17)
    #expect(try fixture.read().records == [.session, .base(0), .numbers])
  }

  @Test(
    "A compaction that is abandoned, or whose session is removed, leaves no files",
    arguments: Backend.allCases
  )
  func abandons(_ backend: Backend) async throws {
    let bench = try backend.make()
    let fixture = try StoreFixture(bench)
    let store = fixture.store
    let canceled = StorageError(.compactLog, code: ECANCELED)
    try await store.create(.one, [.session])
    await #expect(throws: canceled) { try await store.finishCompaction(.one) }
    try await store.beginCompaction(.one, [.session], through: 0)
    await store.abandonCompaction(.one)
    #expect(try bench.bytes(.next) == nil)
    await #expect(throws: canceled) { try await store.addToCompaction(.one, [.base(1)]) }
    for sequence in 1...8 as ClosedRange<UInt64> {
      _ = try await fixture.append([.run(sequence, payload: 400_000)]).get()
    }
    try await store.beginCompaction(.one, [.numbers], through: 0)
    // This compaction replaces the previous one.
    try await store.beginCompaction(.one, [.session], through: 0)
    async let finished = store.finishCompaction(.one)
    await store.release(.one)
    let end = try fixture.read().end
    if (try? await finished) == nil { #expect(try bench.bytes(.next) == nil) }
    #expect(Replayed(try fixture.read().records).last == 8)
    _ = try await store.adopt(.one, end, [.run(9)])
    try await store.beginCompaction(.one, [.session], through: 0)
    try await store.remove(.one)
    await #expect(throws: canceled) { try await store.finishCompaction(.one) }
    #expect(try store.sessions() == [])
  }

  @Test("A compaction does not hide damage in the old log")
  func damagedWhileCompacting() async throws {
    let bench = try Backend.memory.make()
    let fixture = try StoreFixture(bench)
    try await fixture.store.create(.one, [.session])
    _ = try await fixture.append([.run(1), .run(2)]).get()
    let file = try bench.disk.openFile(.current, of: .one, toWrite: true)
    try file.write([0xFF].span, at: 33 + 15 + 53 + 30)
    try await fixture.store.beginCompaction(.one, [.session], through: 0)
    await #expect(throws: StorageError(.compactLog, code: EBADMSG)) {
      try await fixture.store.finishCompaction(.one)
    }
    _ = try await fixture.append([.run(3)]).get()
    #expect(try fixture.read().records == [.session, .run(1), .run(3)])
    #expect(try bench.bytes(.next) == nil)
  }

  @Test(
    "`append(_:toClosed:)` appends to a released session's log if the closure accepts the last record",
    arguments: Backend.allCases)
  func appendsToClosed(_ backend: Backend) async throws {
    let bench = try backend.make()
    let fixture = try StoreFixture(bench)
    let store = fixture.store
    try await store.create(.one, [.session, .run(1)])
    await store.release(.one)
    let isWritten = try store.append(.numbers, toClosed: .one) { last in last.kind == 4 }
    #expect(isWritten)
    #expect(try !store.append(.numbers, toClosed: .one) { last in last.kind == 4 })
    #expect(try fixture.read().records == [.session, .run(1), .numbers])
    let file = try bench.disk.openFile(.current, of: .one, toWrite: true)
    try file.lock()
    #expect(throws: StorageError(.lockLog, code: EWOULDBLOCK)) {
      try store.append(.numbers, toClosed: .one) { _ in true }
    }
    #expect(throws: StorageError(.openLog, code: ENOENT)) {
      try store.append(.numbers, toClosed: .two) { _ in true }
    }
  }

  @Test(
    "ST10 A session is removed with its files, and no other files are removed", arguments: Backend.allCases)
  func removes(_ backend: Backend) async throws {
    let bench = try backend.make()
    let fixture = try StoreFixture(bench)
    try await fixture.store.create(.one, [.session])
    try await fixture.store.create(.two, [.session])
    if let folder = bench.folder {
      try folder.makeFolder("sessions/\(SessionID.one.text)/attachments/deep")
      try folder.write("words", to: "sessions/\(SessionID.one.text)/attachments/one")
      let files = try fixture.store.files(of: .one)
      #expect(files.map(\.name) == ["one"] && files.map(\.length) == [5])
      #expect(files.map(\.place) == [.attachments])
    }
    #expect(try fixture.store.files(of: .two) == [])
    try await fixture.store.remove(.one)
    try await fixture.store.remove(.one)
    #expect(try fixture.store.sessions() == [.two])
    #expect(bench.folder?.names(in: "sessions.removed") ?? [] == [])
    let outcome = await fixture.append([.numbers])
    #expect(throws: StorageError(.openLog, code: ENOENT)) { try outcome.get() }
    try await fixture.store.create(.one, [.session, .numbers])
    #expect(try fixture.read().records == [.session, .numbers])
  }
}
