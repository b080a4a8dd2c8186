import Platform
import SessionCore
import Storage
import Synchronization
import TestSupport
import Wire

/// The implementations that must fulfil the contract of a store.
enum StoreKind: CaseIterable, Sendable {
  case folder
  case memory

  /// The implementations whose sessions several gateways may share.
  static let shared: [StoreKind] = [.memory]

  /// The executor of all stores. It runs until the process ends, because a store may still use it after its fixture is gone.
  private static let executor = Result { try BlockingExecutor(name: "contract") }

  /// Creates an empty store.
  func make() throws -> ContractStore {
    let executor = try Self.executor.get()
    switch self {
    case .folder:
      let folder = TemporaryFolder()
      let data = try DataFolder(opening: folder.path)
      return ContractStore(
        store: FolderStore(FolderDisk(data), on: executor, durability: .process),
        attachments: FolderAttachments(data, syncs: true, makesSessions: false), folder: folder)
    case .memory:
      let attachments = MemoryAttachments()
      return ContractStore(
        store: MemoryStore(attachments: attachments, on: executor), attachments: attachments, folder: nil)
    }
  }
}

/// A store with its attachments. The folder of the store, if any, exists as long as this value.
struct ContractStore {
  let store: any SessionStore
  let attachments: any AttachmentStore
  let folder: TemporaryFolder?
  private let appendCount = Count()

  init(store: any SessionStore, attachments: any AttachmentStore, folder: TemporaryFolder?) {
    self.store = store
    self.attachments = attachments
    self.folder = folder
  }

  private final class Count: Sendable {
    let value = Atomic<UInt64>(0)
  }

  /// Returns an append with the next number.
  func numbered(_ id: SessionID, _ records: [SessionRecord]) -> LogAppend {
    LogAppend(
      id: id, number: appendCount.value.add(1, ordering: .relaxed).newValue, records: records)
  }

  /// Appends records to a session.
  @discardableResult
  func append(_ records: [SessionRecord], to id: SessionID = .one) async -> AppendOutcome {
    await store.append([numbered(id, records)]).outcomes[0]
  }

  /// Returns the records of a session, and its position.
  func read(_ id: SessionID = .one) throws -> (records: [SessionRecord], reading: LogReading) {
    var records: [SessionRecord] = []
    let reading = try store.readRecords(of: id) { (kind, body) throws(RecordError) in
      guard let kind = SessionRecord.Kind(rawValue: kind) else { throw RecordError(kind, .unknownKind) }
      records.append(SessionRecord(kind: kind, body: Array(body)))
    } lost: { _ in
    }
    return (records, reading)
  }

  /// Adopts a session at the end of its log.
  func adopt(_ id: SessionID = .one, _ records: [SessionRecord] = []) async throws -> Adoption {
    try await store.adopt(id, read(id).reading.position, records)
  }
}
