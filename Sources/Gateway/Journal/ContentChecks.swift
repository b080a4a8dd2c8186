internal import Storage
internal import Transport

/// The contents of one session that were compared with their digests since the session was opened.
///
/// A content is compared once; requests that come meanwhile wait for the same comparison.
final class ContentChecks {
  /// The result of a comparison.
  enum Verdict: Equatable, Sendable {
    case intact
    case damaged
    /// The file could not be read; it is compared again at the next request.
    case unreadable(StorageError)
  }

  /// A comparison under way.
  final class Check {
    fileprivate var waiters: [CheckedContinuation<Verdict, Never>] = []
  }

  /// The state of a content.
  enum State {
    case unchecked
    case checking(Check)
    case intact
    case damaged
  }

  private var states: [String: State] = [:]

  /// The state of the content with a digest.
  func state(of digest: String) -> State { states[digest] ?? .unchecked }

  /// True for a content whose file was found to be damaged, or missing.
  func isDamaged(_ digest: String) -> Bool {
    if case .damaged = state(of: digest) { true } else { false }
  }

  /// Begins a comparison, for which later requests wait.
  func begin(_ digest: String) -> Check {
    let check = Check()
    states[digest] = .checking(check)
    return check
  }

  /// Waits for the end of a comparison.
  func wait(for check: Check, _ continuation: CheckedContinuation<Verdict, Never>) {
    check.waiters.append(continuation)
  }

  /// Ends a comparison. If another file took the place of the one that was read, the state of the new file is kept.
  ///
  /// - Returns: the verdict on the content as it is now.
  func end(_ check: Check, of digest: String, _ verdict: Verdict) -> Verdict {
    if case .checking(let current) = state(of: digest), current === check {
      switch verdict {
      case .intact: states[digest] = .intact
      case .damaged: states[digest] = .damaged
      case .unreadable: states[digest] = nil
      }
    }
    let known: Verdict
    switch state(of: digest) {
    case .intact: known = .intact
    case .damaged: known = .damaged
    case .unchecked, .checking: known = verdict
    }
    let waiters = check.waiters
    check.waiters = []
    for waiter in waiters { waiter.resume(returning: known) }
    return known
  }

  /// Notes that a file was put in its place whose digest this process computed.
  func notePlaced(_ digest: String) {
    states[digest] = .intact
  }

  /// Marks a content as damaged.
  /// - Returns: false when it was marked before.
  func noteDamaged(_ digest: String) -> Bool {
    guard !isDamaged(digest) else { return false }
    states[digest] = .damaged
    return true
  }

  /// Forgets a content whose file was removed.
  func forget(_ digest: String) {
    states[digest] = nil
  }
}

/// Compares the file of a content with its digest on a file thread, a piece at a time, so that other work comes between.
actor ContentVerifier {
  /// The difference between a file and its content.
  enum Damage: Sendable, CustomStringConvertible {
    case missing
    case length(UInt64, expected: UInt64)
    case digest(String)

    var description: String {
      switch self {
      case .missing: "its file is missing"
      case .length(let length, let expected): "its file has \(length) bytes instead of \(expected)"
      case .digest(let found): "the bytes of its file have the SHA-256 \(found)"
      }
    }
  }

  private static let pieceBytes: UInt64 = 1 << 20

  private let executor: BlockingExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(on executor: BlockingExecutor) {
    self.executor = executor
  }

  /// Reads a whole content.
  ///
  /// - Returns: how its file differs from its digest and size; nil when it does not.
  /// - Throws: `StorageError` when the file cannot be read.
  func damage(
    to digest: String, size: UInt64, in folder: AttachmentFolder
  ) async throws(StorageError) -> Damage? {
    let file: ContentFile
    do throws(StorageError) {
      file = try folder.openContent(digest)
    } catch {
      guard error.isMissing else { throw error }
      return .missing
    }
    guard file.length == size else { return .length(file.length, expected: size) }
    let running = RunningDigest(.sha256)
    var offset: UInt64 = 0
    while offset < size {
      let count = min(Self.pieceBytes, size - offset)
      let piece = try file.read(at: offset, count: Int(count))
      running.update(piece.span)
      offset += count
      await Task.yield()
    }
    let found = SHA256Digest(finishing: running).description
    return found == digest ? nil : .digest(found)
  }
}
