internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// Reads sessions from the store and restores them, on a thread of its own, so that no reactor waits for it.
actor SessionLoader {
  /// A session that was read.
  struct Loaded {
    let restored: RestoredSession
    /// The result of reading the session's records.
    let reading: LogReading
    let files: Files
  }

  /// The uploads and contents of a session.
  struct Files: Sendable {
    /// The received bytes of each upload, by the name of its file.
    var uploads: [UUID: UInt64] = [:]
    /// The digests of complete contents.
    var contents: Set<String> = []
    /// Uploads and contents that no record refers to; a crash left them.
    var orphans: [StoredFile] = []
    /// True when the store has lost bytes of the session.
    var keepsDamage = false
  }

  private let executor: BlockingExecutor
  private let store: any SessionStore
  private let attachments: any AttachmentStore
  private let limits: Limits
  private let generation: String
  private let folder: String
  private let clock: GatewayClock
  private let log: Log

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(
    _ store: any SessionStore, _ attachments: any AttachmentStore, on executor: BlockingExecutor,
    limits: Limits, generation: String, folder: String, clock: GatewayClock, log: Log
  ) {
    self.store = store
    self.attachments = attachments
    self.log = log
    self.executor = executor
    self.limits = limits
    self.generation = generation
    self.folder = folder
    self.clock = clock
  }

  /// Reads a session.
  ///
  /// - Throws: `StorageError` if there is no such session, or its records cannot be used.
  func load(_ id: SessionID) throws(StorageError) -> sending Loaded {
    let restorer = SessionRestorer(
      id: id, limits: limits, digest: TokenDigest.ofToken,
      now: MonotonicTime.now(), date: clock.date)
    do throws(StorageError) {
      let (restored, reading) = try store.load(
        id, by: restorer, generation: generation, freshEpoch: .freshEpoch, folder: folder)
      let files = files(
        of: id, uploads: Set(restored.uploads.map(\.file)), contents: restored.contents)
      return Loaded(restored: restored, reading: reading, files: files)
    } catch {
      throw error.isMissing ? missing(id, error) : error
    }
  }

  /// Returns the error for a session without records. A session is created and removed together with its records.
  private func missing(_ id: SessionID, _ error: StorageError) -> StorageError {
    do throws(StorageError) {
      return try store.holdsSession(id) ? .missingLog : error
    } catch {
      return error
    }
  }

  /// Lists the uploads and contents of a session.
  private func files(
    of id: SessionID, uploads: Set<UUID>, contents: Set<String>
  ) -> Files {
    var files = Files()
    files.keepsDamage = store.keepsDamage(of: id)
    do throws(StorageError) {
      for file in try attachments.files(of: id) {
        switch file.place {
        case .uploads:
          guard let name = UUID(uuidString: file.name) else { continue }
          files.uploads[name] = file.length
          if !uploads.contains(name) { files.orphans.append(file) }
        case .attachments:
          files.contents.insert(file.name)
          if !contents.contains(file.name) { files.orphans.append(file) }
        }
      }
      // The lost records may refer to these files.
      if files.keepsDamage { files.orphans = [] }
    } catch {
      log(.warning, "files not checked", ["session": .session(id), "reason": "\(error)"])
    }
    return files
  }
}
