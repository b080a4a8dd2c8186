package import FoundationEssentials
package import Wire

/// What a `session` record says.
package struct SessionFacts: Equatable, Sendable {
  /// The session's id, whole.
  package var id: SessionID
  /// Which life of the order what follows belongs to.
  package var epoch: String
  /// When the session was made; whole seconds.
  package var createdAt: Date
  /// What it is for.
  package var activity: Activity
  /// Who set that; 0 is whoever made the session.
  package var activityBy: ParticipantNumber

  /// What is known of a session besides its entries.
  package init(
    id: SessionID, epoch: String, createdAt: Date, activity: Activity, activityBy: ParticipantNumber
  ) {
    self.id = id
    self.epoch = epoch
    self.createdAt = createdAt
    self.activity = activity
    self.activityBy = activityBy
  }

  /// Reads the body of such a record.
  ///
  /// - Throws: `RecordError` when it is none.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    let members = try RecordMembers(.session, body)
    guard let id = SessionID(try members.text("id")) else { throw members.wrong("id") }
    self.id = id
    epoch = try members.text("epoch")
    createdAt = try members.date("createdAt")
    let said = try members.object("activity")
    activity = Activity(
      identifier: try said.text("identifier"), title: try said.text("title"), type: try said.text("type"),
      payload: said.value("payload"))
    activityBy = try members.integer("activityBy")
  }

  /// The record that says it.
  package var record: SessionRecord {
    SessionRecord(.session) { writer in
      writer.member("id", id.text)
      writer.member("epoch", epoch)
      writer.member("createdAt", createdAt)
      writer.member("activity", activity)
      writer.member("activityBy", activityBy)
    }
  }
}
