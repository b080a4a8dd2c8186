import FoundationEssentials
import SessionCore
import Wire

/// A session's file as a list of records, what is being written to it, and a compaction that goes on beside.
struct SimulatedDisk {
  /// A compaction that was begun.
  struct Compaction {
    let plan: CompactionPlan
    var slices: [SessionRecord] = []
    /// Where the next slice goes on; nil: there is none.
    var after: UInt64? = 0
  }

  /// What is in the file.
  private(set) var records: [SessionRecord]
  /// Everything that ever was in it, as if it were never compacted.
  private(set) var history: [SessionRecord]
  var underWay: Unsaved?
  var compaction: Compaction?
  /// How often it was not put away as it should be.
  var crashes = 0

  init(_ records: [SessionRecord]) {
    self.records = records
    history = records
  }

  mutating func append(_ more: some Collection<SessionRecord>) {
    records += more
    history += more
  }

  /// Replaces the file by the compacted one.
  mutating func compact() throws {
    guard let done = compaction else { return }
    compaction = nil
    records = try done.plan.records(done.slices, copying: records)
  }

  /// The members of the JSON records of a kind, in order.
  func said<Said: Decodable>(_ kind: SessionRecord.Kind, as type: Said.Type) throws -> [Said] {
    try records.filter { $0.kind == kind }.map { try JSONDecoder().decode(Said.self, from: Data($0.body)) }
  }
}

/// What a test reads of a `participant` record.
struct SaidParticipant: Decodable {
  let number: ParticipantNumber
  let name: String
  let presence: String
}

/// What a test reads of a `session` record.
struct SaidSession: Decodable {
  struct Activity: Decodable {
    let title: String
  }
  let epoch: String
  let activity: Activity
}

/// What a test reads of an `upload` record.
struct SaidUpload: Decodable {
  let file: UUID
  let digest: String?
}
