package import FoundationEssentials
package import Wire

/// The contents of a `closed` record: the values that a session needs to continue, and those that a list of the stored sessions
/// shows. Such a list needs no other record.
package struct ClosedRecord: Equatable, Sendable {
  /// The generation of the data folder in which the session was closed; nil if changes were unsaved or a participant was waiting.
  /// If the value is nil, the session begins a new epoch when it is loaded.
  package var generation: String?
  /// The time at which the session was closed.
  package var at: Date
  /// The number of the next new participant.
  package var nextNumber: ParticipantNumber
  /// The title of the activity.
  package var title: String
  /// The creation time of the session.
  package var createdAt: Date
  /// The time since which the session has had no active participants; nil if it had active participants when it was closed.
  package var emptySince: Date?
  /// The newest sequence.
  package var sequence: UInt64
  /// The number of known participants, including past ones.
  package var people: Int
  /// The number of bytes of the retained entries.
  package var retainedBytes: Int
  /// The number of attachments.
  package var attachments: Int
  /// The number of bytes that the session uses of its attachment quota.
  package var attachmentBytes: UInt64
  /// True when records of the session are lost and its participants have not been informed of the loss.
  package var isDamaged = false

  /// Reads the body of a `closed` record.
  ///
  /// - Throws: `RecordError` for any other body.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    let members = try RecordMembers(.closed, body)
    generation = try members.optionalText("generation")
    at = try members.date("at")
    nextNumber = try members.integer("nextNumber")
    guard 1...NumbersRecord.highest + 1 ~= nextNumber else { throw members.wrong("nextNumber") }
    title = try members.text("title")
    createdAt = try members.date("createdAt")
    emptySince = try members.optionalDate("emptySince")
    sequence = try members.integer("sequence")
    people = try members.integer("people")
    retainedBytes = try members.integer("retainedBytes")
    attachments = try members.integer("attachments")
    attachmentBytes = try members.integer("attachmentBytes")
    isDamaged = members.value("damaged") == .bool(true)
  }

  init(
    generation: String?, at: Date, nextNumber: ParticipantNumber, title: String, createdAt: Date,
    emptySince: Date?, sequence: UInt64, people: Int, retainedBytes: Int, attachments: Int,
    attachmentBytes: UInt64
  ) {
    self.generation = generation
    self.at = at
    self.nextNumber = nextNumber
    self.title = title
    self.createdAt = createdAt
    self.emptySince = emptySince
    self.sequence = sequence
    self.people = people
    self.retainedBytes = retainedBytes
    self.attachments = attachments
    self.attachmentBytes = attachmentBytes
  }

  /// The `closed` record with these contents.
  package var encoded: SessionRecord {
    SessionRecord(.closed) { writer in
      writer.member("generation", generation)
      writer.member("at", at)
      writer.member("nextNumber", nextNumber)
      writer.member("title", title)
      writer.member("createdAt", createdAt)
      writer.member("emptySince", emptySince)
      writer.member("sequence", sequence)
      writer.member("people", people)
      writer.member("retainedBytes", retainedBytes)
      writer.member("attachments", attachments)
      writer.member("attachmentBytes", attachmentBytes)
      if isDamaged { writer.member("damaged", true) }
    }
  }
}

/// The contents of an `end` record.
package struct EndRecord: Equatable, Sendable {
  /// The time at which the session ended.
  package var at: Date
  /// The participant that ended the session; nil if the session expired.
  package var by: ParticipantNumber?

  /// Creates the contents of an `end` record.
  package init(at: Date, by: ParticipantNumber?) {
    self.at = at
    self.by = by
  }

  /// Reads the body of an `end` record.
  ///
  /// - Throws: `RecordError` for any other body.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    let members = try RecordMembers(.end, body)
    at = try members.date("at")
    by = try members.optionalInteger("by")
  }

  /// The `end` record with these contents.
  package var encoded: SessionRecord {
    SessionRecord(.end) { writer in
      writer.member("at", at)
      writer.nullableMember("by", by)
    }
  }
}

/// The contents of a `restored` record. Such a record revokes the `end` record before it.
package struct RestoredRecord: Equatable, Sendable {
  /// The time at which the end was undone.
  package var at: Date

  /// Creates the contents of a record; `at` is the time at which the end was undone.
  package init(at: Date) {
    self.at = at
  }

  /// Reads the body of a `restored` record.
  ///
  /// - Throws: `RecordError` for any other body.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    at = try RecordMembers(.restored, body).date("at")
  }

  /// The `restored` record with these contents.
  package var encoded: SessionRecord {
    SessionRecord(.restored) { $0.member("at", at) }
  }
}
