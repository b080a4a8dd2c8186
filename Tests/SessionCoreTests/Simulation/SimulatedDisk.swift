import FoundationEssentials
import SessionCore
import Wire

/// A session's file as a list of records, with the batch that is being written and the compaction in progress.
struct SimulatedDisk {
  /// A compaction in progress.
  struct Compaction {
    let plan: CompactionPlan
    var slices: [SessionRecord] = []
    /// The sequence after which the next compaction slice begins: 0 before the first slice, nil after the last slice.
    var after: UInt64? = 0
  }

  /// The records in the file.
  private(set) var records: [SessionRecord]
  /// All records that were ever in the file, as if it had never been compacted.
  private(set) var history: [SessionRecord]
  var underWay: Unsaved?
  var compaction: Compaction?
  /// The number of crashes.
  var crashes = 0

  init(_ records: [SessionRecord]) {
    self.records = records
    history = records
  }

  mutating func append(_ more: some Collection<SessionRecord>) {
    records += more
    history += more
  }

  /// Replaces the records by those of the finished compaction.
  mutating func compact() throws {
    guard let done = compaction else { return }
    compaction = nil
    records = try done.plan.records(done.slices, copying: records)
  }

  /// Returns the decoded JSON records of a kind, in order.
  func said<Said: Decodable>(_ kind: SessionRecord.Kind, as type: Said.Type) throws -> [Said] {
    try records.filter { $0.kind == kind }.map { try JSONDecoder().decode(Said.self, from: Data($0.body)) }
  }
}

/// The JSON members that tests read from a `participant` record.
struct SaidParticipant: Decodable {
  let number: ParticipantNumber
  let name: String
  let presence: String
}

/// The JSON members that tests read from a `session` record.
struct SaidSession: Decodable {
  struct Activity: Decodable {
    let title: String
  }
  let epoch: String
  let activity: Activity
}

/// The JSON members that tests read from an `upload` record.
struct SaidUpload: Decodable {
  let file: UUID
  let digest: String?
}
