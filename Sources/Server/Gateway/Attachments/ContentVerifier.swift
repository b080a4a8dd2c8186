internal import Glibc
internal import Storage
internal import Synchronization
internal import Networking
internal import Platform
internal import Wire

/// The actor that verifies the contents of attachments: it compares the SHA-256 of each file with the stored digest. It runs on a
/// file thread and reads one piece at a time, so that other work can run between two pieces.
///
/// All requests for the same content wait for the same check. The check continues even if these requests or the session have
/// ended.
actor ContentVerifier {
  /// The difference between a stored file and the content that it should have.
  enum Damage: Sendable, CustomStringConvertible {
    case missing
    case length(UInt64, expected: UInt64)
    case digest(String)

    var description: String {
      switch self {
      case .missing: "the attachment's file is missing"
      case .length(let length, let expected):
        "the attachment's file has \(length) bytes instead of \(expected)"
      case .digest(let found): "the bytes of the attachment's file have the SHA-256 \(found)"
      }
    }
  }

  enum Outcome: Sendable {
    case intact
    case damaged(ContentFinding)
    /// The file could not be read; it is verified again at the next request.
    case unreadable(StorageError)
    /// The queue is full: this content was not added, or it was dropped from the queue.
    case refused(Refusal)
  }

  private static let pieceBytes: UInt64 = 1 << 20
  /// The maximum number of attachment contents that are verified at a time. Each check needs a buffer for one piece.
  private static let runningLimit = 4
  /// The maximum number of attachment contents in the queue.
  private static let waitingLimit = 1024
  /// The maximum number of attachment contents in the queue that were requested from one client address.
  private static let waitingLimitPerClient = 64
  /// The time after which a client may repeat a request that was rejected because the queue was full.
  private static let retryMs: UInt64 = 2000

  private static var tooMany: Refusal {
    var refusal = Refusal(.tooMany, "Too many attachments wait to be verified: try again in a moment.")
    refusal.retryAfterMs = retryMs
    return refusal
  }

  private let executor: BlockingExecutor
  private let attachments: any AttachmentStore
  private let verdicts: ContentVerdicts
  private var queue = ContentCheckQueue(
    runningLimit: runningLimit, waitingLimit: waitingLimit, waitingLimitPerClient: waitingLimitPerClient)
  private var waiters: [ContentID: [CheckedContinuation<Outcome, Never>]] = [:]
  private var sizes: [ContentID: UInt64] = [:]
  private let isStopped = Atomic(false)

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Creates a verifier for the contents in a store.
  init(_ attachments: any AttachmentStore, on executor: BlockingExecutor, notingIn verdicts: ContentVerdicts)
  {
    self.attachments = attachments
    self.executor = executor
    self.verdicts = verdicts
  }

  /// Ends each running check after the piece of the file that the check is reading now.
  nonisolated func stop() {
    isStopped.store(true, ordering: .relaxed)
  }

  /// Adds the content to the queue, and waits until the whole content has been verified. An intact content is recorded in
  /// `verdicts`; the caller records damage.
  ///
  /// - Parameters:
  ///   - content: the content.
  ///   - size: its length in bytes.
  ///   - client: the address of the client that requests the content; nil for this machine.
  /// - Returns: the outcome of the check.
  func verify(_ content: ContentID, size: UInt64, for client: IPAddress?) async -> Outcome {
    switch queue.add(content, for: client) {
    case .refused: return .refused(Self.tooMany)
    case .added(let dropped):
      if let dropped { end(dropped, .refused(Self.tooMany)) }
    }
    sizes[content] = size
    return await withCheckedContinuation { continuation in
      waiters[content, default: []].append(continuation)
      startWaiting()
    }
  }

  private func startWaiting() {
    while let content = queue.next() {
      Task { await run(content) }
    }
  }

  private func run(_ content: ContentID) async {
    let outcome: Outcome
    do throws(StorageError) {
      outcome = try await compare(content, size: sizes[content] ?? 0)
    } catch {
      outcome = .unreadable(error)
    }
    queue.end(content)
    end(content, outcome)
    startWaiting()
  }

  /// Resumes all requests that wait for this content.
  private func end(_ content: ContentID, _ outcome: Outcome) {
    sizes[content] = nil
    for waiter in waiters.removeValue(forKey: content) ?? [] { waiter.resume(returning: outcome) }
  }

  private func compare(_ content: ContentID, size: UInt64) async throws(StorageError) -> Outcome {
    let revision = verdicts.revision(of: content)
    let opened: any StoredContent
    do throws(StorageError) {
      opened = try attachments.openContent(content.digest, of: content.session)
    } catch {
      guard error.isMissing else { throw error }
      return .damaged(ContentFinding(damage: .missing, mark: nil, revision: revision))
    }
    guard opened.mark.length == size else {
      let damage = Damage.length(opened.mark.length, expected: size)
      return .damaged(ContentFinding(damage: damage, mark: opened.mark, revision: revision))
    }
    let running = RunningDigest(.sha256)
    var offset: UInt64 = 0
    while offset < size {
      guard !isStopped.load(ordering: .relaxed) else { throw StorageError(.readContent, code: ECANCELED) }
      let count = min(Self.pieceBytes, size - offset)
      let piece = try opened.read(at: offset, count: Int(count))
      running.update(piece.span)
      offset += count
      await Task.yield()
    }
    let found = SHA256Digest(finishing: running).description
    guard found == content.digest else {
      return .damaged(ContentFinding(damage: .digest(found), mark: opened.mark, revision: revision))
    }
    verdicts.noteIntact(content, opened.mark, asOf: revision)
    return .intact
  }
}
