package import FoundationEssentials
package import Wire

/// What a `closed` record says: how the session goes on, and what a listing tells of it without reading more.
package struct ClosedRecord: Equatable, Sendable {
  /// The life of the data folder in which the session was put away; nil when something was not saved, so that nobody may
  /// go on as if nothing had happened.
  package var generation: String?
  /// When it was put away.
  package var at: Date
  /// The number that is given out next.
  package var nextNumber: ParticipantNumber
  /// What people read.
  package var title: String
  /// When the session was made.
  package var createdAt: Date
  /// When the last one left; nil when somebody counted as here.
  package var emptySince: Date?
  /// The sequence given last.
  package var sequence: UInt64
  /// How many people are known, those who are gone included.
  package var people: Int
  /// Bytes of the entries that are retained.
  package var retainedBytes: Int
  /// How many attachments there are.
  package var attachments: Int
  /// Bytes that they take of the session's quota.
  package var attachmentBytes: UInt64
  /// True when records of the session are lost and its participants are still to be informed of that.
  package var isDamaged = false

  /// Reads the body of such a record.
  ///
  /// - Throws: `RecordError` when it is none.
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

  /// The record that says it.
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

/// What an `end` record says.
package struct EndRecord: Equatable, Sendable {
  /// When the session ended.
  package var at: Date
  /// Who ended it; nil: nobody came back to it.
  package var by: ParticipantNumber?

  /// The end of a session.
  package init(at: Date, by: ParticipantNumber?) {
    self.at = at
    self.by = by
  }

  /// Reads the body of such a record.
  ///
  /// - Throws: `RecordError` when it is none.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    let members = try RecordMembers(.end, body)
    at = try members.date("at")
    by = try members.optionalInteger("by")
  }

  /// The record that says it.
  package var encoded: SessionRecord {
    SessionRecord(.end) { writer in
      writer.member("at", at)
      writer.nullableMember("by", by)
    }
  }
}

/// What a `restored` record says: the end before it does not count.
package struct RestoredRecord: Equatable, Sendable {
  /// When the end was taken back.
  package var at: Date

  /// An end taken back at that time.
  package init(at: Date) {
    self.at = at
  }

  /// Reads the body of such a record.
  ///
  /// - Throws: `RecordError` when it is none.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    at = try RecordMembers(.restored, body).date("at")
  }

  /// The record that says it.
  package var encoded: SessionRecord {
    SessionRecord(.restored) { $0.member("at", at) }
  }
}
