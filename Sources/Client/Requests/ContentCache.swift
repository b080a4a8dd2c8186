internal import FoundationEssentials
internal import Transport
internal import Wire

/// Contents of attachments by their digests: what was fetched, or added, is not fetched again, and what several ask for at
/// once is fetched once.
final class ContentCache: Sendable {
  /// A content that is being fetched.
  private final class Flight: Sendable {
    let outcome = Outcome<Data>()
    /// Which attachment it is fetched as.
    let path: String
    let gateway: GatewayAddress

    init(_ path: String, _ gateway: GatewayAddress) {
      self.path = path
      self.gateway = gateway
    }
  }

  private struct Item {
    let content: Data
    var lastUse: UInt64
  }

  private struct State {
    var items: [String: Item] = [:]
    var bytes = 0
    var uses: UInt64 = 0
    var flights: [String: (flight: Flight, waiters: Int, task: Task<Void, Never>)] = [:]

    /// A content that is kept, which is then the one that was used last.
    mutating func use(_ digest: String) -> Data? {
      uses += 1
      items[digest]?.lastUse = uses
      return items[digest]?.content
    }
  }

  private enum Found {
    case content(Data)
    case flight(Flight)
  }

  /// The process's.
  static let shared = ContentCache(limit: 64 << 20, itemLimit: 16 << 20)

  private let limit: Int
  private let itemLimit: Int
  private let state = Guarded(State())

  /// - Parameters:
  ///   - limit: how many bytes are kept in all.
  ///   - itemLimit: how many a content may have to be kept.
  init(limit: Int, itemLimit: Int) {
    self.limit = limit
    self.itemLimit = itemLimit
  }

  /// Whether a content of so many bytes is kept.
  func takes(_ count: Int) -> Bool { count > 0 && count <= itemLimit }

  /// Keeps a copy: the pages of a file may change.
  func keepCopy(of content: Data) {
    let copy = unsafe content.withUnsafeBytes { unsafe Data($0) }
    keep(copy, under: SHA256Digest(of: copy.span).description)
  }

  /// The content of an attachment: kept, or fetched by whoever asked first.
  func content(
    of attachment: AttachmentObject, at path: String, limit: Int, by api: GatewayAPI
  ) async throws(RequestFailure) -> Data {
    guard let digest = attachment.sha256 else {
      return try await api.fetch(attachment, at: path, limit: limit)
    }
    while true {
      switch find(digest, attachment, path, limit, api) {
      case .content(let content):
        return content
      case .flight(let flight):
        defer { leave(flight, of: digest) }
        do throws(RequestFailure) {
          return try await flight.outcome.value()
        } catch {
          // What failed for another attachment, of another session perhaps, may well do for this one.
          let isOwn = flight.path == path && flight.gateway == api.gateway
          guard !isOwn, !Task.isCancelled else { throw error }
        }
      }
    }
  }

  private func find(
    _ digest: String, _ attachment: AttachmentObject, _ path: String, _ limit: Int, _ api: GatewayAPI
  ) -> Found {
    state.withLock { state in
      if let content = state.use(digest) { return .content(content) }
      if let found = state.flights[digest] {
        state.flights[digest]?.waiters += 1
        return .flight(found.flight)
      }
      let flight = Flight(path, api.gateway)
      let task = Task { await fly(flight, digest, attachment, limit, api) }
      state.flights[digest] = (flight, 1, task)
      return .flight(flight)
    }
  }

  private func fly(
    _ flight: Flight, _ digest: String, _ attachment: AttachmentObject, _ limit: Int, _ api: GatewayAPI
  ) async {
    let result: Result<Data, RequestFailure>
    do throws(RequestFailure) {
      result = .success(try await api.fetch(attachment, at: flight.path, limit: limit))
    } catch {
      result = .failure(error)
    }
    if case .success(let content) = result { keep(content, under: digest) }
    // Kept first: whoever asks from here on finds it, or begins anew.
    state.withLock { state in
      if state.flights[digest]?.flight === flight { state.flights[digest] = nil }
    }
    flight.outcome.settle(result)
  }

  /// Somebody waits no longer; without anybody who does, nothing is fetched.
  private func leave(_ flight: Flight, of digest: String) {
    let orphan: Task<Void, Never>? = state.withLock { state in
      guard let found = state.flights[digest], found.flight === flight else { return nil }
      state.flights[digest]?.waiters -= 1
      guard found.waiters == 1 else { return nil }
      state.flights[digest] = nil
      return found.task
    }
    orphan?.cancel()
  }

  private func keep(_ content: Data, under digest: String) {
    guard takes(content.count) else { return }
    state.withLock { state in
      if state.use(digest) != nil { return }
      state.bytes += content.count
      state.items[digest] = Item(content: content, lastUse: state.uses)
      while state.bytes > limit, let oldest = state.items.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        state.bytes -= oldest.value.content.count
        state.items[oldest.key] = nil
      }
    }
  }
}
