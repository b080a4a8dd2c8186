import FoundationEssentials
import Storage
import Testing
import Wire
import TestSupport

import Primitives
@testable import SessionCore
@testable import drawtogether

/// `verify` and the gateway accept the same logs.
@Suite("`verify` and the gateway accept the same logs")
struct VerifyAgreementTests {
  private static func log() -> MadeLog {
    var log = MadeLog("Verify000000000000000A")
    log.person(1, "Ada")
    log.base(through: 3, [(1, MadeEntry(1, "a", .append, key: 1)), (3, MadeEntry(1, "b", .replace, key: 2))])
    log.goBack(to: 3)
    log.run(
      MadeEntry(1, "b", .replace, key: 2), MadeEntry(1, "c", .append, key: 2),
      MadeEntry(1, "", .remove, key: 1))
    log.run(MadeEntry(1, "for one"), targets: [1, 2])
    log.add(ConsumedSequencesRecord([ConsumedSequencesRecord.Pair(number: 1, clientSequence: 9)]).encoded)
    log.attachment(
      UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), digest: nil, size: 9, offset: 0)
    log.upload(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), file: UUID())
    log.close()
    log.end()
    log.add(RestoredRecord(at: MadeLog.day).encoded)
    return log
  }

  /// Returns true if a gateway would open the log.
  private func opens(_ id: SessionID, in sessions: StoredSessions) throws -> Bool {
    do {
      var restorer = SessionRestorer(
        id: id, limits: Limits(), digest: { _ in TokenDigest(high: 0, low: 0) },
        now: MonotonicTime(nanoseconds: 0),
        date: MadeLog.day)
      _ = try sessions.store.read(id) { (kind, body) throws(RecordError) in try restorer.apply(kind, body) }
      _ = try restorer.finish(generation: "g", freshEpoch: "fresh")
      return true
    } catch {
      return false
    }
  }

  @Test("A gateway opens the unchanged log, and `verify` finds no faults in it")
  func unchanged() async throws {
    let folder = try KeptFolder()
    let log = Self.log()
    try await folder.make(log)
    #expect(try opens(log.id, in: try folder.opened()))
    #expect(try SessionCheck(log.id, in: try folder.opened()).faults.isEmpty)
  }

  @Test("If a gateway would not open a changed log, `verify` reports a fault", arguments: 0..<400)
  func agree(_ seed: UInt64) async throws {
    var chance = SeededGenerator(seed: seed)
    var log = Self.log()
    log.change { records in
      let place = Int.random(in: records.indices, using: &chance)
      let byte = Int.random(in: records[place].body.indices, using: &chance)
      switch Int.random(in: 0..<3, using: &chance) {
      case 0: records[place].body[byte] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
      case 1: records[place].body.remove(at: byte)
      default: records.swapAt(place, Int.random(in: records.indices, using: &chance))
      }
    }
    let folder = try KeptFolder()
    try await folder.make(log)
    let sessions = try folder.opened()
    let found = try SessionCheck(log.id, in: sessions).faults
    if try !opens(log.id, in: sessions) {
      #expect(!found.isEmpty)
    }
  }
}
