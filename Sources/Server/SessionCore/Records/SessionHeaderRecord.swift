package import FoundationEssentials
package import Wire

/// The contents of a `session` record.
package struct SessionHeaderRecord: Equatable, Sendable {
  /// The complete id of the session.
  package var id: SessionID
  /// The epoch of the entries that follow.
  package var epoch: String
  /// The earlier epochs; nil in a record of an older gateway version, which did not store them. If the history is nil, a load
  /// starts with an empty history: clients of an earlier epoch then get a snapshot instead of a tail.
  package var history: EpochHistory?
  /// The identity of the data folder to which the record was written.
  package var folder: String?
  /// The waiting participants. They are stored only in the record at the head of a compacted log, and in no other record.
  package var waiting: [Waiting] = []
  /// The creation time of the session, in whole seconds.
  package var createdAt: Date
  /// The activity of the session.
  package var activity: Activity
  /// The participant that set the activity; 0 if the session was created with it.
  package var activityBy: ParticipantNumber
  /// The pseudonym of the address that created the session; nil if sessions per address are not counted.
  package var creator: String?
  /// True when records of the session are lost and its participants have not been informed of the loss.
  package var isDamaged = false

  /// A waiting participant.
  package struct Waiting: Equatable, Sendable {
    package var id: UUID
    package var number: ParticipantNumber
  }

  /// Creates the contents of a record.
  package init(
    id: SessionID, epoch: String, history: EpochHistory? = nil, folder: String? = nil,
    createdAt: Date, activity: Activity, activityBy: ParticipantNumber, creator: String? = nil
  ) {
    self.id = id
    self.epoch = epoch
    self.history = history
    self.folder = folder
    self.createdAt = createdAt
    self.activity = activity
    self.activityBy = activityBy
    self.creator = creator
  }

  /// Reads the body of a `session` record.
  ///
  /// - Throws: `RecordError` for any other body.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    let members = try RecordMembers(.session, body)
    guard let id = SessionID(try members.text("id")) else { throw members.wrong("id") }
    self.id = id
    epoch = try members.text("epoch")
    if let pairs = try members.objects("history") {
      var history: [EpochHistory.Pair] = []
      for pair in pairs {
        history.append(
          EpochHistory.Pair(epoch: try pair.text("epoch"), through: try pair.integer("through")))
      }
      self.history = EpochHistory(history)
    }
    folder = try members.optionalText("folder")
    for one in try members.objects("waiting") ?? [] {
      waiting.append(Waiting(id: try one.uuid("id"), number: try one.integer("number")))
    }
    createdAt = try members.date("createdAt")
    let object = try members.object("activity")
    activity = Activity(
      identifier: try object.text("identifier"), title: try object.text("title"),
      type: try object.text("type"),
      payload: object.value("payload"))
    activityBy = try members.integer("activityBy")
    creator = try members.optionalText("creator")
    isDamaged = members.value("damaged") == .bool(true)
  }

  /// The payload of the entry that announces the activity.
  var activityPayload: ActivityPayload { ActivityPayload(activity: activity, by: activityBy) }

  /// The `session` record with these contents.
  package var encoded: SessionRecord {
    SessionRecord(.session) { writer in
      writer.member("id", id.text)
      writer.member("epoch", epoch)
      if let history { writer.member("history", history.pairs) }
      writer.member("folder", folder)
      if !waiting.isEmpty { writer.member("waiting", waiting) }
      writer.member("createdAt", createdAt)
      writer.member("activity", activity)
      writer.member("activityBy", activityBy)
      writer.member("creator", creator)
      if isDamaged { writer.member("damaged", true) }
    }
  }
}

extension SessionHeaderRecord.Waiting: JSONWritable {
  /// Writes the participant as an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("number", number)
    }
  }
}
