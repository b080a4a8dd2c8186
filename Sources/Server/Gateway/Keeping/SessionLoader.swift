internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// Reads sessions from the disk and makes them again, on a thread of its own: however long that takes, no reactor waits.
actor SessionLoader {
  /// A session as it was on the disk.
  struct Loaded {
    let restored: RestoredSession
    /// Up to where its log was whole.
    let end: LogEnd
    let files: Files
  }

  /// What is there of attachments.
  struct Files: Sendable {
    /// How many bytes have arrived of each upload, by the name of its file.
    var uploads: [UUID: UInt64] = [:]
    /// The digests of whole contents.
    var contents: Set<String> = []
    /// What nothing in the log names: a crash left it.
    var orphans: [StoredFile] = []
    /// True when damaged bytes are kept beside the log.
    var keepsDamage = false
  }

  private let executor: BlockingExecutor
  private let store: FolderStore
  private let limits: Limits
  private let generation: String
  private let folder: String
  private let clock: GatewayClock
  private let log: Log

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(
    _ store: FolderStore, on executor: BlockingExecutor, limits: Limits,
    generation: String, folder: String, clock: GatewayClock, log: Log
  ) {
    self.store = store
    self.log = log
    self.executor = executor
    self.limits = limits
    self.generation = generation
    self.folder = folder
    self.clock = clock
  }

  /// Reads a session.
  ///
  /// - Throws: `LogError`: there is none, or its log cannot be used.
  func load(_ id: SessionID) throws(LogError) -> sending Loaded {
    let restorer = SessionRestorer(
      id: id, limits: limits, digest: TokenDigest.ofToken,
      now: MonotonicTime.now(), date: clock.date)
    do throws(LogError) {
      let (restored, end) = try store.load(
        id, by: restorer, generation: generation, freshEpoch: .freshEpoch, folder: folder)
      let files = files(
        of: id, uploads: Set(restored.uploads.map(\.file)), contents: restored.contents)
      return Loaded(restored: restored, end: end, files: files)
    } catch {
      throw error.isMissing ? missing(id, error) : error
    }
  }

  /// The error for a session without a log. Its folder is made and removed together with the log.
  private func missing(_ id: SessionID, _ error: LogError) -> LogError {
    do throws(StorageError) {
      return try store.holdsSession(id) ? .missingLog : error
    } catch {
      return .file(error)
    }
  }

  /// Looks what there is of attachments.
  private func files(
    of id: SessionID, uploads: Set<UUID>, contents: Set<String>
  ) -> Files {
    var files = Files()
    files.keepsDamage = store.keepsDamage(of: id)
    do throws(StorageError) {
      for file in try store.files(of: id) {
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
      // Lost records may name them.
      if files.keepsDamage { files.orphans = [] }
    } catch {
      log(.warning, "files not looked at", ["session": .session(id), "reason": "\(error)"])
    }
    return files
  }
}
