import Glibc
import SessionCore
import Storage
import TestSupport
import Testing
import Wire

/// The history in files: failures and crashes in every system call.
@Suite("No failure, crash or power cut loses or duplicates entries of the history")
struct HistoryCrashTests {
  private static let payload = [UInt8](repeating: 9, count: 120_000)

  /// Creates a session with 40 entries, which need two chunks and a state.
  private static func begin(_ disk: any SessionDisk) async throws -> StoreFixture {
    let fixture = try StoreFixture(disk, .process)
    try await fixture.store.create(.one, [.session])
    for sequence in 1...40 as ClosedRange<UInt64> {
      _ = try await fixture.append([.stroke(sequence, key: sequence % 4, payload: payload)]).get()
    }
    return fixture
  }

  @Test(
    "After a failure in any call, the next extension completes the history",
    arguments: FaultyDisk.Style.allCases)
  func failures(_ style: FaultyDisk.Style) async throws {
    let counting = FaultyDisk(MemoryDisk())
    let whole = try await Self.begin(counting)
    let before = counting.calls
    _ = try await whole.store.extendHistory(.one, .large)
    let calls = counting.calls - before
    let expected = try ReadHistory(in: whole.store)
    #expect(expected.sequences == Array(1...40) && !expected.states.isEmpty)
    for call in stride(from: 1, through: calls, by: 5) {
      let memory = MemoryDisk()
      let plain = try await Self.begin(memory)
      await plain.store.release(.one)
      let failing = FaultyDisk(memory, FaultyDisk.Plan(call: call, code: EIO, style: style))
      let broken = try StoreFixture(failing, .process)
      do {
        _ = try await broken.store.adopt(.one, try broken.read().end, [])
        _ = try await broken.store.extendHistory(.one, .large)
      } catch {}
      let fixture = try StoreFixture(memory, .process)
      _ = try await fixture.store.adopt(.one, try fixture.read().end, [])
      _ = try await fixture.store.extendHistory(.one, .large)
      let history = try ReadHistory(in: fixture.store)
      #expect(history.sequences == expected.sequences, "call \(call)")
      for (sequence, entries) in history.states { #expect(entries == Self.state(at: sequence)) }
    }
  }

  @Test("After a power cut during an extension, each piece is complete or missing")
  func powerCuts() async throws {
    let disk = MemoryDisk()
    let fixture = try await Self.begin(disk)
    try await fixture.store.syncAll()
    _ = try await fixture.store.extendHistory(.one, .large)
    var chance = SeededGenerator(seed: 2)
    for cut in 0..<50 {
      let after = try StoreFixture(disk.afterPowerCut(using: &chance), .process)
      let history = try ReadHistory(in: after.store)
      #expect(history.sequences == Array(1...40), "power cut \(cut)")
      #expect(history.states.allSatisfy { $0.value == Self.state(at: $0.key) })
    }
  }

  @Test("After a power cut, the log has all entries that the history has")
  func logIsSyncedFirst() async throws {
    let disk = MemoryDisk()
    let fixture = try await Self.begin(disk)
    _ = try await fixture.store.extendHistory(.one, .large)
    var chance = SeededGenerator(seed: 4)
    for cut in 0..<20 {
      let after = try StoreFixture(disk.afterPowerCut(using: &chance), .process)
      let runs = try after.read().records.filter { $0.kind == .run }
      #expect(runs.count == 40, "power cut \(cut)")
    }
  }

  @Test("Pieces that were removed when a session was opened do not come back after a power cut")
  func removedPieces() async throws {
    let disk = MemoryDisk()
    let fixture = try await Self.begin(disk)
    _ = try await fixture.store.extendHistory(.one, .large)
    try await fixture.store.syncAll()
    _ = try await fixture.store.trimHistory(of: .one, after: 0)
    var chance = SeededGenerator(seed: 3)
    for cut in 0..<20 {
      let after = try StoreFixture(disk.afterPowerCut(using: &chance), .process)
      #expect(try after.store.historyPieces(of: .one).isEmpty, "power cut \(cut)")
    }
  }

  @Test("If the newest piece is damaged, the history is removed, and the next extension begins a new one")
  func damage() async throws {
    let disk = MemoryDisk()
    let fixture = try await Self.begin(disk)
    _ = try await fixture.store.extendHistory(.one, .large)
    let last = try #require(try fixture.store.historyPieces(of: .one).last)
    try disk.openFile(.history(last), of: .one, toWrite: true).truncate(to: last.byteCount - 1)
    #expect(throws: StorageError(.readHistory, code: EBADMSG)) {
      _ = try fixture.store.openHistory(last, of: .one)
    }
    await #expect(throws: StorageError(.readHistory, code: EBADMSG)) {
      _ = try await fixture.store.extendHistory(.one, .large)
    }
    _ = try await fixture.store.extendHistory(.one, .large)
    #expect(try ReadHistory(in: fixture.store).sequences == Array(1...40))
  }

  @Test("The file name of a piece can be parsed, and no other name is accepted")
  func names() {
    let chunk = HistoryPiece(kind: .chunk, first: 1, last: 40, byteCount: 512, tag: 0xAB)
    #expect(chunk.fileName == "history.1-40.512.000000ab")
    #expect(HistoryPiece(fileName: chunk.fileName) == chunk)
    let state = HistoryPiece(kind: .state, first: 40, last: 40, byteCount: 512, tag: 0xFFFF_FFFF)
    #expect(state.fileName == "history.state-40.512.ffffffff")
    #expect(HistoryPiece(fileName: state.fileName) == state)
    for name in [
      "history.new", "history.1-40.512.000000AB", "history.01-40.512.000000ab", "history.2-1.512.000000ab",
      "history.1-40.0.000000ab", "history.1-40.512.0ab", "log", "history.1-40.512.000000ab.new",
    ] { #expect(HistoryPiece(fileName: name) == nil, "\(name)") }
  }

  /// Returns the sequences of the retained entries at a sequence.
  private static func state(at sequence: UInt64) -> [UInt64] {
    var retained: [UInt64: UInt64] = [:]
    for entry in 1...sequence { retained[entry % 4] = entry }
    return retained.values.sorted()
  }
}
