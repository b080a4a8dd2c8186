internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// What a log says of its session, gathered record by record, without the entries themselves.
struct SessionSurvey {
  /// What became of a session, as its log tells it.
  enum State: Equatable {
    /// It is in use, or was when its gateway was cut off.
    case open
    /// It was put away whole.
    case closed(Date)
    /// It ended, by somebody or, without a number, because nobody came back.
    case ended(Date, by: ParticipantNumber?)
  }

  private(set) var facts: SessionHeaderRecord?
  private(set) var people: [ParticipantNumber: Participant] = [:]
  private(set) var state = State.open
  /// Entries that the log still holds.
  private(set) var entries = 0
  private(set) var scan = EntryScan()

  /// Takes the next record, and gives its entries on.
  ///
  /// - Throws: when it is not one that a session writes there, and what `take` throws.
  mutating func apply(
    _ record: KeptLog.Record, _ body: Span<UInt8>, _ take: EntryScan.Take = { _, _ in }
  ) throws(RecordError) {
    // Whatever is written behind a session that was put away was written by one that was opened again.
    if case .closed = state { state = .open }
    switch record.known {
    case .session:
      facts = try SessionHeaderRecord(body)
      // A session that has ended is not written to: the record that took its end back is lost.
      if case .ended = state { state = .open }
    case .participant:
      let said = try ParticipantRecord(body).participant
      guard people[said.number].map({ $0.id == said.id }) ?? true else {
        throw RecordError(record.kind, .wrongMember("id"))
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
    case .numbers, .used, .upload: break
    case nil: throw RecordError(record.kind, .unknownKind)
    }
  }
}

extension SessionSurvey.State {
  /// Writes `state`, and when it began.
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
