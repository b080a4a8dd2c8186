internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// Reads sessions from the store and restores them. It has its own thread, so that no reactor blocks while a session is read.
actor SessionLoader {
  /// A session that was read from the store.
  struct Loaded {
    let restored: RestoredSession
    /// The result of reading the session's records.
    let reading: LogReading
    let files: Files
  }

  /// The files of a session: incomplete uploads, and complete contents.
  struct Files: Sendable {
    /// The received bytes of each upload, by the name of its file.
    var uploads: [UUID: UInt64] = [:]
    /// The digests of complete contents.
    var contents: Set<String> = []
    /// Uploads and contents to which no record refers. A crash can leave such files.
    var orphans: [StoredFile] = []
    /// True when the store keeps damaged bytes of the session, and the operator has not accepted their loss.
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
  /// - Throws: `StorageError` if the store does not have the session, or if its records cannot be used.
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

  /// Returns the error for a session whose log could not be found: `missingLog` if the session exists in the store, otherwise
  /// `error`. A session is always created and removed together with its log, so a session without a log is damaged.
  private func missing(_ id: SessionID, _ error: StorageError) -> StorageError {
    do throws(StorageError) {
      return try store.holdsSession(id) ? .missingLog : error
    } catch {
      return error
    }
  }

  /// Lists the files of a session.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - uploads: the names of the upload files to which records refer.
  ///   - contents: the digests of the contents to which records refer.
  /// - Returns: the files in the store, including files to which no record refers.
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
      // The lost records may have referred to the orphaned files, so no file is treated as orphaned.
      if files.keepsDamage { files.orphans = [] }
    } catch {
      log(.warning, "files not checked", ["session": .session(id), "reason": "\(error)"])
    }
    return files
  }
}
