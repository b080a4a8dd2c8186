internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// The state of a session according to its log, built record by record, without the entries.
struct SessionSurvey {
  /// The state of a session.
  enum State: Equatable {
    /// The session is in use, or was in use when its gateway was killed.
    case open
    /// The session is unloaded: the log ends with the final record of the unload.
    case closed(Date)
    /// A participant ended the session. If `by` is nil, the session ended because no participant returned in time.
    case ended(Date, by: ParticipantNumber?)
  }

  private(set) var facts: SessionHeaderRecord?
  private(set) var people: [ParticipantNumber: Participant] = [:]
  private(set) var state = State.open
  /// The number of entries in the log.
  private(set) var entries = 0
  private(set) var scan = EntryScan()

  /// Applies the next record and calls `take` with its entries.
  ///
  /// - Throws: `RecordError` for a record that a session would not write at this position of the log, and errors of `take`.
  mutating func apply(
    _ record: LogSnapshot.Record, _ body: Span<UInt8>, _ take: EntryScan.Take = { _, _ in }
  ) throws(RecordError) {
    // A record after an unload comes from a session that was opened again.
    if case .closed = state { state = .open }
    switch record.known {
    case .session:
      facts = try SessionHeaderRecord(body)
      // An ended session writes no record before a `restored` record undoes the end. So a `session` record after the end means
      // that the `restored` record between them is lost.
      if case .ended = state { state = .open }
    case .participant:
      let said = try ParticipantRecord(body).participant
      guard people[said.number].map({ $0.id == said.id }) ?? true else {
        throw RecordError(record.kind, .invalidMember("id"))
      }
      people[said.number] = said
    case .closed: state = .closed(try ClosedRecord(body).at)
    case .end:
      let end = try EndRecord(body)
      state = .ended(end.at, by: end.by)
    case .restored: state = .closed(try RestoredRecord(body).at)
    case .run, .base:
      var count = 0
      try scan.read(record.known, body) { (found, bytes) throws(RecordError) in
        count += 1
        try take(found, bytes)
      }
      entries += count
    case .numbers, .used, .upload, .time: break
    case nil: throw RecordError(record.kind, .unknownKind)
    }
  }
}

extension SessionSurvey.State {
  /// Writes `state` and its time.
  func writeMembers(to writer: inout JSONWriter) {
    switch self {
    case .open: writer.member("state", "open")
    case .closed(let date):
      writer.member("state", "closed")
      writer.member("closedAt", date.formatted(.iso8601))
    case .ended(let date, let number):
      writer.member("state", "ended")
      writer.member("endedAt", date.formatted(.iso8601))
      writer.member("endedBy", number)
    }
  }
}
