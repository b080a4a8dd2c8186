import CLinux
import FoundationEssentials
import Glibc
import Storage
import Platform
import Wire

@testable import SessionCore
@testable import drawtogether

/// A data folder for a test, with sessions created by the store. The folder is removed with this object.
final class KeptFolder {
  let path: String
  private let executor: BlockingExecutor
  private let data: DataFolder
  let store: FolderStore

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/drawtogether-kept-\(UUID().uuidString)"
    executor = try BlockingExecutor(name: "test-store")
    data = try DataFolder(opening: path)
    store = FolderStore(FolderDisk(data), on: executor, durability: .process)
  }

  deinit {
    executor.stop()
    executor.join()
    // If the removal fails, only the files of the test remain.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Creates a session with these records.
  func make(_ log: MadeLog) async throws {
    try await store.create(log.id, log.records)
    await store.release(log.id)
    try data.attachments(of: log.id).make()
  }

  /// Stores content. Returns its digest.
  func place(_ text: String, in id: SessionID) throws -> String {
    let folder = data.attachments(of: id)
    let file = UUID()
    let upload = try folder.createUpload(file)
    try upload.append(Array(text.utf8).span)
    let digest = try upload.finish(syncs: false)
    try folder.place(file, as: digest, syncs: false)
    return digest
  }

  /// Creates a partial upload.
  func leave(_ text: String, of file: UUID, in id: SessionID) throws {
    try data.attachments(of: id).createUpload(file).append(Array(text.utf8).span)
  }

  /// Returns the path of a file in the folder of a session.
  func file(_ name: String, of id: SessionID) -> String { "\(path)/sessions/\(id.text)/\(name)" }

  func bytes(_ name: String, of id: SessionID) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: file(name, of: id))))
  }

  func put(_ bytes: [UInt8], as name: String, of id: SessionID) throws {
    try Data(bytes).write(to: URL(filePath: file(name, of: id)))
  }

  /// Removes a file from the folder of a session.
  func remove(_ name: String, of id: SessionID) throws {
    try FileManager.default.removeItem(atPath: file(name, of: id))
  }

  /// Removes the lock file. A command then creates a new lock file, so it can lock the folder although this process uses it.
  func unlock() throws {
    try FileManager.default.removeItem(atPath: "\(path)/lock")
  }

  /// Opens the folder as the commands do.
  func opened() throws -> StoredSessions { try StoredSessions(in: path) }
}

/// The log of a session as a gateway would write it, built record by record.
struct MadeLog {
  static let day = Date(timeIntervalSince1970: 1_700_000_000)  // 2023-11-14T22:13:20Z

  let id: SessionID
  private(set) var records: [SessionRecord] = []
  private var sequence: UInt64 = 0

  init(_ id: String, title: String = "Draw Together") {
    guard let known = SessionID(id) else { preconditionFailure("\(id) is a session's id") }
    self.id = known
    let activity = Activity(identifier: "drawtogether", title: title, type: "generic", payload: nil)
    let facts = SessionHeaderRecord(
      id: known, epoch: "epoch", createdAt: Self.day, activity: activity, activityBy: 0)
    records = [facts.encoded, NumbersRecord(through: 4096).encoded]
  }

  mutating func add(_ record: SessionRecord) { records.append(record) }

  /// Changes the records.
  mutating func change(_ body: (inout [SessionRecord]) -> Void) { body(&records) }

  /// Removes the last record, and returns it.
  mutating func takeLast() -> SessionRecord { records.removeLast() }

  mutating func person(_ number: UInt32, _ name: String) {
    let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number)))
    let facts = ParticipantRecord(
      participant: Participant(id: id, number: number, name: name, color: "#123456"), digest: nil,
      acknowledged: 0, presence: .past)
    records.append(facts.encoded)
  }

  /// Adds a `run` record with one frame.
  mutating func run(_ entries: MadeEntry..., targets: [UInt32]? = nil) {
    var bytes: [UInt8] = []
    for entry in entries {
      sequence += 1
      entry.append(sequence, isTargeted: targets != nil, to: &bytes)
    }
    records.append(Self.run(bytes, targets: targets))
  }

  /// Adds a `base` record: the compacted entries with these sequences, which replace all entries up to `through`.
  mutating func base(through: UInt64, _ entries: [(UInt64, MadeEntry)]) {
    var body: [UInt8] = []
    body.append(bigEndian: through)
    for (sequence, entry) in entries { entry.append(sequence, isTargeted: false, to: &body) }
    records.append(SessionRecord(kind: .base, body: body))
  }

  /// Sets the sequence of the next entry to an earlier one, so that the next entries are duplicates.
  mutating func goBack(to sequence: UInt64) { self.sequence = sequence - 1 }

  mutating func attachment(_ id: UUID, digest: String?, size: UInt64, offset: UInt64) {
    let object = AttachmentObject(
      id: id, name: "cat.png", contentType: "image/png", size: size, sha256: digest, metadata: nil,
      participant: nil, state: digest == nil ? .uploading : .ready, offset: offset, createdAt: Self.day,
      url: "/cat.png")
    run(
      MadeEntry(
        0, "attachment", WireJSON.encode(object), .replace, key: EntryKey(id), flags: [.reliable, .system]))
  }

  mutating func upload(_ id: UUID, file: UUID, content: (digest: String, size: UInt64)? = nil) {
    let known = content.map { UploadRecord.Content(digest: $0.digest, size: $0.size) }
    let facts = UploadRecord(
      id: id, file: file, sequence: sequence + 1, isResumable: true, uploadMetadata: nil, content: known)
    records.append(facts.encoded)
  }

  mutating func close(people: Int = 1) {
    let facts = ClosedRecord(
      generation: "g", at: Self.day + 60, nextNumber: 9, title: "As closed", createdAt: Self.day,
      emptySince: Self.day + 60, sequence: sequence, people: people, retainedBytes: 0, attachments: 0,
      attachmentBytes: 0)
    records.append(facts.encoded)
  }

  mutating func end(by number: UInt32? = 1) {
    records.append(EndRecord(at: Self.day + 120, by: number).encoded)
  }

  /// Returns a `run` record with one frame: the length of the entries (u32), the number of targets (u32, all bits set for all
  /// participants), the targets, and the entries.
  private static func run(_ entries: [UInt8], targets: [UInt32]?) -> SessionRecord {
    var body: [UInt8] = []
    body.append(bigEndian: UInt32(entries.count))
    body.append(bigEndian: targets.map { UInt32($0.count) } ?? .max)
    for target in targets ?? [] { body.append(bigEndian: target) }
    return SessionRecord(kind: .run, body: body + entries)
  }
}

/// An entry to add to a log.
struct MadeEntry {
  let sender: UInt32
  let type: String
  let payload: [UInt8]
  let retention: Retention
  let key: EntryKey
  let flags: EntryFlags

  init(
    _ sender: UInt32, _ type: String, _ payload: [UInt8], _ retention: Retention = .none,
    key: EntryKey = .zero, flags: EntryFlags = .reliable
  ) {
    self.sender = sender
    self.type = type
    self.payload = payload
    self.retention = retention
    self.key = key
    self.flags = flags
  }

  init(
    _ sender: UInt32, _ payload: String, _ retention: Retention = .none, key: UInt64 = 0,
    flags: EntryFlags = .reliable
  ) {
    self.init(
      sender, "Mark", Array(payload.utf8), retention, key: EntryKey(high: 0, low: key), flags: flags)
  }

  func append(_ sequence: UInt64, isTargeted: Bool, to bytes: inout [UInt8]) {
    var flags = EntryFlags(self.flags, retention: retention)
    if isTargeted { flags.insert(.targeted) }
    GatewayEntry.append(
      to: &bytes, flags: flags, sequence: sequence, sender: sender,
      clientSequence: sender == 0 ? 0 : UInt32(sequence), key: key, type: Array(type.utf8).span,
      payload: payload.span)
  }
}
