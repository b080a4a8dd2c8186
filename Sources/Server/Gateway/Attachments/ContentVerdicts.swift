internal import Storage
internal import Platform
internal import Wire

/// The identity of the content that one or more attachments of a session have. Each session has its own files: equal contents in
/// two sessions have different identities.
struct ContentID: Hashable, Sendable {
  let session: SessionID
  /// The SHA-256 of the content, in lowercase hexadecimal.
  let digest: String
}

/// The result of a check that found a damaged or missing file.
struct ContentFinding: Sendable {
  let damage: ContentVerifier.Damage
  /// The `ContentMark` of the damaged file; nil if the file is missing.
  let mark: ContentMark?
  /// The result of `ContentVerdicts.revision(of:)` when the check began.
  let revision: UInt64
}

/// The verdicts of this process on the contents of attachments: intact or damaged. The verdicts stay when sessions are unloaded
/// and loaded again.
///
/// A verdict applies only to the file whose `ContentMark` was recorded with it, so a new file with the same path has no verdict.
/// The table keeps the newest `limit` verdicts for intact contents, and the newest `limit` verdicts for damaged contents. So
/// verdicts for intact contents cannot displace those for damaged contents. A content whose verdict was dropped is verified again
/// at its next request.
final class ContentVerdicts: Sendable {
  enum Verdict: Equatable, Sendable {
    case intact
    case damaged
  }

  /// The outcome of recording damage.
  enum Note: Equatable {
    case noted
    /// The same damage was recorded before.
    case known
    /// The content got a different verdict after the check began, so the damage was not recorded.
    case superseded
  }

  /// The maximum number of verdicts of each kind. They need about 5 MB of memory.
  static let standardLimit = 16_384

  private struct Entry {
    let verdict: Verdict
    let mark: ContentMark?
    let revision: UInt64
  }

  /// The newest verdicts of one kind, one for each content.
  private struct Newest {
    private(set) var entries: [ContentID: Entry] = [:]
    /// The contents in the order of their verdicts, the oldest verdict first. An element is out of date if it is before `head`,
    /// or if its verdict was replaced or removed.
    private var order: [(content: ContentID, revision: UInt64)] = []
    private var head = 0

    mutating func insert(_ entry: Entry, on content: ContentID, limit: Int) {
      entries[content] = entry
      order.append((content, entry.revision))
      while entries.count > limit {
        let oldest = order[head]
        head += 1
        if entries[oldest.content]?.revision == oldest.revision { entries[oldest.content] = nil }
      }
      if order.count > 2 * limit {
        order.removeFirst(head)
        head = 0
        order.removeAll { entries[$0.content]?.revision != $0.revision }
      }
    }

    mutating func remove(_ content: ContentID) {
      entries[content] = nil
    }
  }

  private struct State {
    private var intact = Newest()
    private var damaged = Newest()
    private var lastRevision: UInt64 = 0

    func entry(of content: ContentID) -> Entry? {
      damaged.entries[content] ?? intact.entries[content]
    }

    mutating func insert(_ verdict: Verdict, on content: ContentID, _ mark: ContentMark?, limit: Int) {
      lastRevision += 1
      let entry = Entry(verdict: verdict, mark: mark, revision: lastRevision)
      switch verdict {
      case .intact:
        damaged.remove(content)
        intact.insert(entry, on: content, limit: limit)
      case .damaged:
        intact.remove(content)
        damaged.insert(entry, on: content, limit: limit)
      }
    }
  }

  private let limit: Int
  private let state = Guarded(State())

  /// Creates an empty table. The limit applies to each kind of verdict separately.
  init(limit: Int = standardLimit) {
    self.limit = limit
  }

  /// Returns the verdict on the file of an attachment's content.
  ///
  /// - Parameters:
  ///   - content: the content.
  ///   - mark: the `ContentMark` of its file; nil if the file is missing.
  /// - Returns: the verdict; nil if this file has not been verified, or if its verdict was dropped.
  func verdict(on content: ContentID, _ mark: ContentMark?) -> Verdict? {
    state.withLock { $0.entry(of: content).flatMap { $0.mark == mark ? $0.verdict : nil } }
  }

  /// Returns true if the file of an attachment's content was found to be damaged or missing.
  func isDamaged(_ content: ContentID) -> Bool {
    state.withLock { $0.entry(of: content)?.verdict == .damaged }
  }

  /// Returns a number that changes with each new verdict on the content; 0 if there is no verdict.
  func revision(of content: ContentID) -> UInt64 {
    state.withLock { $0.entry(of: content)?.revision ?? 0 }
  }

  /// Records that the new file of an attachment's content is intact. The file needs no check, because this process computed the
  /// digest while it wrote the file.
  ///
  /// - Parameters:
  ///   - content: the content.
  ///   - mark: the `ContentMark` of its file; nil if the file has been removed already.
  func notePlaced(_ content: ContentID, _ mark: ContentMark?) {
    guard let mark else { return }
    state.withLock { $0.insert(.intact, on: content, mark, limit: limit) }
  }

  /// Records that the file of a content is intact. Does nothing if the present revision of the content differs from `revision`,
  /// because the content has got a newer verdict in this case.
  func noteIntact(_ content: ContentID, _ mark: ContentMark, asOf revision: UInt64) {
    state.withLock { state in
      guard state.entry(of: content)?.revision ?? 0 == revision else { return }
      state.insert(.intact, on: content, mark, limit: limit)
    }
  }

  /// Records that the file of a content is missing or damaged. Does nothing if the content has got another verdict since the
  /// check began.
  func noteDamaged(_ content: ContentID, _ finding: ContentFinding) -> Note {
    state.withLock { state in
      let entry = state.entry(of: content)
      if let entry, entry.verdict == .damaged, entry.mark == finding.mark { return .known }
      guard entry?.revision ?? 0 == finding.revision else { return .superseded }
      state.insert(.damaged, on: content, finding.mark, limit: limit)
      return .noted
    }
  }
}
