internal import HTTP
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// Answers requests for the histories of a reactor's sessions.
final class HistoryRoutes {
  /// The values and components that the `HistoryRoutes` of all reactors share.
  struct Environment: Sendable {
    let store: any SessionStore
    let tails: HistoryTailSlots
    let log: Log
    /// Returns the file thread for the next request.
    let nextThread: @Sendable () -> BlockingExecutor
    /// Counts a request of a client. Returns nil, or, after too many requests, the time until the client may repeat the request.
    let admit: @Sendable (IPAddress, _ cost: Double, MonotonicTime) -> Duration?
  }

  /// The rate of each client's requests.
  static let rate = TokenBucket.Rate(tokensPerSecond: 50, capacity: 300)
  /// The number of tokens for an overview. A request for entries costs one token; an overview costs more, because it reads a part
  /// of each piece.
  private static let overviewCost = 10.0
  /// The minimum number of bytes that the history must lack for a request to extend it. A smaller number of bytes is read from the
  /// log.
  private static let extensionBytes = 262_144
  /// The approximate maximum number of bytes of a tail: the part of the log that the history lacks.
  private static let tailBytes = 1 << 20
  /// The maximum number of overviews that one reactor prepares at the same time. Each has a tail in memory.
  private static let concurrentOverviews = 4
  /// The `Cache-Control` of pieces with a tag. Such a piece never changes.
  private static let immutable = "private, max-age=31536000, immutable"

  private let environment: Environment
  private let sessions: SessionTable
  private let downloads: DownloadService
  private let clock: LoopClock
  private let logger: GatewayLogger
  /// The number of overviews that are being prepared.
  private var overviewsInMemory = 0

  init(
    _ environment: Environment, _ sessions: SessionTable, _ downloads: DownloadService, clock: LoopClock,
    logger: GatewayLogger
  ) {
    self.environment = environment
    self.sessions = sessions
    self.downloads = downloads
    self.clock = clock
    self.logger = logger
  }

  /// Returns the answer to a request for the history of a session, or the work that produces it.
  func plan(for head: RequestHead, of id: SessionID, from client: ForwardedClient) -> HTTPExchange.Plan {
    do throws(Refusal) {
      return .history(try HistoryRequest(query: head.query), id)
    } catch {
      logger.log(.refused(.request, error.code, EventSubject(session: id, address: client.address)))
      return .answer(.problem(error))
    }
  }

  /// Answers a request.
  ///
  /// - Returns: the response; nil if the connection has closed.
  func answer(
    _ request: HistoryRequest, of id: SessionID, for head: RequestHead, from client: ForwardedClient,
    over key: Connection.Key
  ) async -> HTTPResponse? {
    do throws(Refusal) {
      try admit(request, from: client)
      let host = try await sessions.findOpen(id).get()
      guard sessions.history.keepsHistory(of: host) else { throw .noHistory }
      host.tasksInHand += 1
      defer { sessions.finishTask(of: host) }
      return try await answer(request, host, for: head, over: key)
    } catch {
      logger.log(.refused(.request, error.code, EventSubject(session: id, address: client.address)))
      return HTTPResponse(answer: .problem(error))
    }
  }

  private func admit(_ request: HistoryRequest, from client: ForwardedClient) throws(Refusal) {
    let cost = request == .overview ? Self.overviewCost : 1
    guard let address = client.countedAddress, let wait = environment.admit(address, cost, clock.now) else {
      return
    }
    var refusal = Refusal(.rateLimited, "Your address requests histories too often.")
    refusal.retryAfterMs = UInt64(clamping: wait.wholeMilliseconds)
    throw refusal
  }

  private func answer(
    _ request: HistoryRequest, _ host: SessionHost, for head: RequestHead, over key: Connection.Key
  ) async throws(Refusal) -> HTTPResponse? {
    let reader = HistoryReader(host.id, in: environment.store, on: environment.nextThread())
    switch request {
    case .overview:
      return HTTPResponse(answer: .json(.ok, try await overview(of: host, by: reader)))
    case .entries(let range, tag: nil) where range.lowerBound > host.history.through:
      await sessions.history.extendForReading(host, minimumBytes: Self.extensionBytes)
      if range.lowerBound > host.history.through {
        return try await tail(from: range.lowerBound, of: host, by: reader, for: head, over: key)
      }
    case .entries, .state: break
    }
    let isCompressed = AcceptEncoding.prefersGzip(head.fields)
    let opened: (any StoredContent)?
    do throws(StorageError) {
      opened = try await reader.open(request, isCompressed: isCompressed)
    } catch {
      throw refusal(for: error, host)
    }
    guard let content = opened else { throw .noHistoryPiece }
    return try response(with: content, isCompressed: isCompressed, isImmutable: request.tag != nil, over: key)
  }

  private func overview(of host: SessionHost, by reader: HistoryReader) async throws(Refusal) -> [UInt8] {
    await sessions.history.extendForReading(host, minimumBytes: Self.extensionBytes)
    // Overviews have their own limit instead of the tail slots, because slow readers may hold all of these slots.
    guard overviewsInMemory < Self.concurrentOverviews else { throw .tooManyHistories }
    overviewsInMemory += 1
    defer { overviewsInMemory -= 1 }
    let (after, through) = (host.history.through, host.session.committed)
    let overview: HistoryOverview
    do throws(StorageError) {
      let tail = try await environment.store.historyTail(of: host.id, after: after, upTo: Self.tailBytes)
      overview = try await reader.overview(with: tail, after: after, through: through)
    } catch {
      throw refusal(for: error, host)
    }
    let participants = overview.senders.sorted().compactMap { host.session.participant($0) }
    return await reader.encode(overview, participants)
  }

  /// Returns the answer with the entries that the history does not have yet, beginning at a sequence.
  private func tail(
    from first: UInt64, of host: SessionHost, by reader: HistoryReader, for head: RequestHead,
    over key: Connection.Key
  ) async throws(Refusal) -> HTTPResponse? {
    guard environment.tails.take() else { throw .tooManyHistories }
    let prefersGzip = AcceptEncoding.prefersGzip(head.fields)
    let encoded: (bytes: [UInt8], isCompressed: Bool)
    do throws(StorageError) {
      let records = try await environment.store.historyTail(
        of: host.id, after: first - 1, upTo: Self.tailBytes)
      encoded = try await reader.encode(records, after: first - 1, isCompressed: prefersGzip)
    } catch {
      environment.tails.release()
      throw refusal(for: error, host)
    }
    let tail = HistoryTail(encoded.bytes, in: environment.tails)
    return try response(with: tail, isCompressed: encoded.isCompressed, isImmutable: false, over: key)
  }

  private func response(
    with content: any StoredContent, isCompressed: Bool, isImmutable: Bool, over key: Connection.Key
  ) throws(Refusal) -> HTTPResponse? {
    guard let reader = try downloads.reader(of: content, over: key) else { return nil }
    let length = content.mark.length
    var answer = Answer(
      .ok,
      fields: [
        "Content-Type": MediaType.octetStream.value, "Content-Length": "\(length)",
        "Cache-Control": isImmutable ? Self.immutable : "no-store", "Vary": "Accept-Encoding",
      ])
    if isCompressed { answer.head.fields.append("Content-Encoding", "gzip") }
    return HTTPResponse(
      answer: answer, body: length == 0 ? nil : .file(FileTransfer(reader, 0..<length)))
  }

  private func refusal(for error: StorageError, _ host: SessionHost) -> Refusal {
    if error.isOutOfDescriptors { return .outOfDescriptors }
    // A session that ended meanwhile may have lost its history.
    guard !host.isRemoved else { return .ended }
    environment.log(
      .error, "history not read", ["session": .session(host.id), "reason": "\(error)"])
    return Refusal(.internal, "The history of this session could not be read.")
  }
}

extension Refusal {
  fileprivate static var noHistory: Refusal {
    Refusal(.notFound, "This gateway keeps no history of this session.")
  }

  /// The refusal of a request that would exceed the limit of tails in memory, with the time after which it may be repeated.
  fileprivate static var tooManyHistories: Refusal {
    var refusal = Refusal(.unavailable, "Too many histories are being read. Try again in a moment.")
    refusal.retryAfterMs = 500
    return refusal
  }

  fileprivate static var noHistoryPiece: Refusal {
    Refusal(.notFound, "The history does not have this part any more. Read its overview again.")
  }
}
