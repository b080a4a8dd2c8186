import Glibc
import SessionCore
import Storage
import Synchronization
import Testing
import Platform
import Wire

/// A store over a disk, on a thread shared with the stores of other tests.
final class StoreFixture {
  let disk: any SessionDisk
  let store: FolderStore
  private var bench: Bench?
  private var appendCount: UInt64 = 0

  /// Creates a store over the disk of `bench`. This object keeps `bench`, so the disk exists as long as this object does.
  convenience init(_ bench: Bench, _ durability: Durability = .process, openFiles: Int = 512) throws {
    try self.init(bench.disk, durability, openFiles: openFiles)
    self.bench = bench
  }

  init(_ disk: any SessionDisk, _ durability: Durability = .process, openFiles: Int = 512) throws {
    self.disk = disk
    let turn = Self.turn.add(1, ordering: .relaxed).newValue
    let executor = try Self.executors.get()[turn % Self.threads]
    store = FolderStore(disk, on: executor, durability: durability, openFiles: openFiles)
  }

  /// The executors exist until the process ends, because a store may be in use when its fixture is gone.
  private static let executors = Result {
    try (0..<threads).map { _ in try BlockingExecutor(name: "test-store") }
  }
  private static let threads = 4
  private static let turn = Atomic(0)

  /// Appends records to a session.
  func append(_ records: [SessionRecord], to id: SessionID = .one) async -> Result<Int, StorageError> {
    await store.append([numbered(id, records)]).outcomes[0].result
  }

  /// Returns an append of `records` to a session, with the next append number.
  func numbered(_ id: SessionID, _ records: [SessionRecord]) -> LogAppend {
    appendCount += 1
    return LogAppend(id: id, number: appendCount, records: records)
  }

  /// Returns the readable records of a session's log.
  func read(_ id: SessionID = .one) throws -> (records: [SessionRecord], end: LogEnd) {
    var records: [SessionRecord] = []
    let end = try store.read(id) { (kind, body) throws(RecordError) in
      guard let kind = SessionRecord.Kind(rawValue: kind) else { throw RecordError(kind, .unknownKind) }
      records.append(SessionRecord(kind: kind, body: Array(body)))
    }
    return (records, end)
  }
}

extension AppendOutcome {
  /// The size of the session's records, or the reason for which the append is not stored.
  var result: Result<Int, StorageError> {
    switch self {
    case .stored(let byteCount): .success(byteCount)
    case .refused(let error), .unknown(let error): .failure(error)
    case .fenced: .failure(StorageError(.openLog, code: ENOENT))
    }
  }
}

extension SessionID {
  static let one = SessionID(high: 0x0123_4567_89AB_CDEF, low: 0x1122_3344_5566_7788)
  static let two = SessionID(high: 2, low: 2)
}

extension Array where Element == UInt8 {
  /// Creates an array with the bytes of a span.
  init(_ span: Span<UInt8>) {
    self = []
    append(span)
  }
}

extension SessionRecord {
  /// A record with an empty JSON object.
  static let session = SessionRecord(kind: .session, body: Array("{}".utf8))
  static let numbers = SessionRecord(kind: .numbers, body: [0, 0, 0x10, 0])

  /// Returns a run of one entry for all participants, with the fields that a store reads. Each byte of the payload is the low
  /// byte of the sequence.
  static func run(_ sequence: UInt64, payload count: Int = 10) -> SessionRecord {
    var body: [UInt8] = []
    body.append(bigEndian: UInt32(22 + count))
    body.append(bigEndian: UInt32.max)
    body.append(bigEndian: UInt32(18 + count))
    body += [0, 0]
    body.append(bigEndian: sequence)
    body += [0, 0, 0, 1, 0, 0, 0, 1]
    body += [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: count)
    return SessionRecord(kind: .run, body: body)
  }

  /// Returns a record that replaces all entries up to a sequence.
  static func base(_ through: UInt64) -> SessionRecord {
    var body: [UInt8] = []
    body.append(bigEndian: through)
    return SessionRecord(kind: .base, body: body)
  }
}
