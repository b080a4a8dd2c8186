import FoundationEssentials
import Wire

import Primitives
@testable import SessionCore

extension Fixture {
  /// Ends the turn and writes everything that is unsaved.
  func save(_ clients: TestClient...) throws {
    session.endTurn(now: now)
    perform(session.takeEffects())
    while let unsaved = session.takeUnsaved() {
      disk += unsaved.records
      session.didSave(unsaved, now: now)
    }
    for client in clients { try client.read() }
  }

  /// Restores the session from `records`; if `records` is nil, from the records that the session itself has saved.
  func reload(
    _ records: [SessionRecord]? = nil, generation: String = "other",
    opens: Bool = true
  ) throws -> (fixture: Fixture, restored: RestoredSession) {
    let restored = try restore(
      records ?? disk, id: session.id, limits: session.limits, now: now, generation: generation)
    let fixture = Fixture(restored.takeSession(), now: now)
    fixture.disk = records ?? disk
    if opens {
      fixture.disk += fixture.session.openingRecords()
      fixture.session.didSaveOpening()
    }
    return (fixture, restored)
  }

  /// Closes the session cleanly.
  func close(generation: String = "stopped") {
    let date = Date(timeIntervalSince1970: 1_000)
    disk.append(session.closedRecord(generation: generation, now: now, date: date))
  }

  /// Returns the client of a new participant that joins now.
  func look() throws -> TestClient {
    let client = try join(name: "Looker")
    try turn(client)
    return client
  }

  /// Returns a client that resumes on a new socket as the participant of another client.
  func comeBack(as old: TestClient, after: UInt64?, epoch: String) throws -> TestClient {
    try join(resume: old.resume(after: after, epoch: epoch))
  }
}

/// Restores a session from records.
func restore(
  _ records: [SessionRecord], id: SessionID = SessionID(high: 0, low: 1), limits: Limits = Limits(),
  now: MonotonicTime = .zero, generation: String = "other"
) throws -> RestoredSession {
  var restorer = SessionRestorer(
    id: id, limits: limits, digest: { TokenDigest(high: $0.high, low: $0.low) }, now: now,
    date: Date(timeIntervalSince1970: 1_000))
  for record in records { try restorer.apply(record.kind.rawValue, record.body.span) }
  return try restorer.finish(generation: generation, freshEpoch: "fresh")
}

extension [SessionRecord] {
  var kinds: [SessionRecord.Kind] { map(\.kind) }

  func first(_ kind: SessionRecord.Kind) -> SessionRecord? { first { $0.kind == kind } }
}
