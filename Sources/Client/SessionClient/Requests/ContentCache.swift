internal import FoundationEssentials
internal import Platform
internal import Wire

/// A cache of attachments' contents, by digest. Content that this program has downloaded or added is not downloaded again, and
/// concurrent requests for the same content share one download.
///
/// Small contents are kept in memory. Larger contents, and contents evicted from memory, are kept in files.
final class ContentCache: Sendable {
  /// A download in progress.
  private final class Download: Sendable {
    let promise = Promise<Data>()
    /// The path of the attachment whose content is downloaded.
    let path: String
    let gateway: GatewayAddress

    init(_ path: String, _ gateway: GatewayAddress) {
      self.path = path
      self.gateway = gateway
    }
  }

  private enum Tier {
    case memory, file
  }

  private struct Item {
    var content: Data
    var tier: Tier
    var lastUse: UInt64
  }

  private struct State {
    private var items: [String: Item] = [:]
    private var bytes: [Tier: Int] = [:]
    private var uses: UInt64 = 0
    var downloads: [String: (download: Download, waiters: Int, task: Task<Void, Never>)] = [:]

    /// Returns cached content, and marks it as the most recently used; nil if there is none.
    mutating func use(_ digest: String) -> Data? {
      uses += 1
      items[digest]?.lastUse = uses
      return items[digest]?.content
    }

    mutating func insert(_ content: Data, under digest: String, in tier: Tier) {
      guard use(digest) == nil else { return }
      items[digest] = Item(content: content, tier: tier, lastUse: uses)
      bytes[tier, default: 0] += content.count
    }

    mutating func remove(_ digest: String) {
      guard let item = items.removeValue(forKey: digest) else { return }
      bytes[item.tier, default: 0] -= item.content.count
    }

    /// Moves content from memory to a file, or removes it if no file can be created.
    mutating func move(_ digest: String, to copy: Data?) {
      guard let item = items[digest], item.tier == .memory else { return }
      remove(digest)
      guard let copy else { return }
      items[digest] = Item(content: copy, tier: .file, lastUse: item.lastUse)
      bytes[.file, default: 0] += copy.count
    }

    /// Returns the least recently used content of a tier, if the tier exceeds its limit.
    func evictionCandidate(_ tier: Tier, over limit: Int) -> (digest: String, content: Data)? {
      guard bytes[tier, default: 0] > limit else { return nil }
      let oldest = items.lazy.filter { $0.value.tier == tier }.min { $0.value.lastUse < $1.value.lastUse }
      return oldest.map { ($0.key, $0.value.content) }
    }
  }

  private enum Lookup {
    case content(Data)
    case download(Download)
  }

  /// The cache of the process.
  static let shared = ContentCache(limit: 64 << 20, itemLimit: 16 << 20, files: .standard, fileLimit: 2 << 30)

  private let limit: Int
  private let itemLimit: Int
  private let files: ContentFiles?
  private let fileLimit: Int
  private let state = Guarded(State())

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes in memory.
  ///   - itemLimit: the maximum size of one content in memory, in bytes.
  ///   - files: the store for larger contents; nil for none.
  ///   - fileLimit: the maximum number of bytes in files.
  init(limit: Int, itemLimit: Int, files: ContentFiles? = nil, fileLimit: Int = 0) {
    self.limit = limit
    self.itemLimit = itemLimit
    self.files = files
    self.fileLimit = files == nil ? 0 : fileLimit
  }

  /// The number of callers that wait for a download.
  var waiters: Int { state.withLock { $0.downloads.values.reduce(0) { $0 + $1.waiters } } }

  /// Returns true if content of this size can be cached.
  func canStore(_ count: Int) -> Bool { count > 0 && count <= max(itemLimit, fileLimit) }

  /// Caches a copy of the content. A copy is needed because the content may be a mapped file, whose bytes may change. May block.
  func storeCopy(of content: Data) {
    let copy =
      content.count <= itemLimit ? unsafe content.withUnsafeBytes { unsafe Data($0) } : files?.store(content)
    guard let copy else { return }
    let digest = SHA256Digest(of: copy.span).description
    if content.count <= itemLimit {
      storeInMemory(copy, under: digest)
    } else {
      storeFile(copy, under: digest)
    }
  }

  /// Returns the content of an attachment, from the cache or by a download that concurrent callers share.
  func content(
    of attachment: AttachmentObject, at path: String, limit: Int, by api: GatewayAPI
  ) async throws(SessionClientError) -> Data {
    // Content without a digest is not cached, but concurrent requests for it share one download.
    let key = attachment.sha256 ?? "\(api.gateway)\(path)"
    while true {
      switch find(key, attachment, path, limit, api) {
      case .content(let content):
        return content
      case .download(let download):
        defer { leave(download, of: key) }
        do throws(SessionClientError) {
          return try await download.promise.value()
        } catch {
          // If the failed download was for another attachment with the same content, a download for this attachment may still
          // succeed.
          let isOwn = download.path == path && download.gateway == api.gateway
          guard !isOwn, !Task.isCancelled else { throw error }
        }
      }
    }
  }

  private func find(
    _ key: String, _ attachment: AttachmentObject, _ path: String, _ limit: Int, _ api: GatewayAPI
  ) -> Lookup {
    state.withLock { state in
      if let content = state.use(key) { return .content(content) }
      if let found = state.downloads[key] {
        state.downloads[key]?.waiters += 1
        return .download(found.download)
      }
      let download = Download(path, api.gateway)
      let task = Task { await run(download, key, attachment, limit, api) }
      state.downloads[key] = (download, 1, task)
      return .download(download)
    }
  }

  private func run(
    _ download: Download, _ key: String, _ attachment: AttachmentObject, _ limit: Int, _ api: GatewayAPI
  ) async {
    let result: Result<Data, SessionClientError>
    do throws(SessionClientError) {
      let content = try await api.fetch(attachment, at: download.path, limit: limit)
      if let digest = attachment.sha256, canStore(content.count) {
        result = .success(try await api.threads.run(.brief) { _ in self.store(content, under: digest) })
      } else {
        result = .success(content)
      }
    } catch {
      result = .failure(error)
    }
    // The downloaded content is in the cache by now, so later callers find it there. After a failure, they begin a new download.
    state.withLock { state in
      if state.downloads[key]?.download === download { state.downloads[key] = nil }
    }
    download.promise.resolve(result)
  }

  /// Removes a waiting caller. If no caller is left, cancels the download.
  private func leave(_ download: Download, of key: String) {
    let abandoned: Task<Void, Never>? = state.withLock { state in
      guard let found = state.downloads[key], found.download === download else { return nil }
      state.downloads[key]?.waiters -= 1
      guard found.waiters == 1 else { return nil }
      state.downloads[key] = nil
      return found.task
    }
    abandoned?.cancel()
  }

  /// Caches content. May block.
  ///
  /// - Returns: the cached content, in memory or mapped from its file.
  private func store(_ content: Data, under digest: String) -> Data {
    if let kept = state.withLock({ $0.use(digest) }) { return kept }
    if content.count <= itemLimit {
      storeInMemory(content, under: digest)
      return content
    }
    guard let file = files?.store(content) else { return content }
    storeFile(file, under: digest)
    return file
  }

  private func storeInMemory(_ content: Data, under digest: String) {
    state.withLock { $0.insert(content, under: digest, in: .memory) }
    while let (digest, content) = state.withLock({ $0.evictionCandidate(.memory, over: limit) }) {
      // The content stays in memory until its file is complete, so that no caller downloads it again.
      let copy = content.count <= fileLimit ? files?.store(content) : nil
      state.withLock { $0.move(digest, to: copy) }
    }
    evictFiles()
  }

  private func storeFile(_ content: Data, under digest: String) {
    state.withLock { $0.insert(content, under: digest, in: .file) }
    evictFiles()
  }

  /// Evicts the least recently used files until the remaining files are within the limit.
  private func evictFiles() {
    // The file is unmapped outside the lock.
    while let (digest, _) = state.withLock({ $0.evictionCandidate(.file, over: fileLimit) }) {
      state.withLock { $0.remove(digest) }
    }
  }
}
