internal import HTTP
internal import Networking
internal import Primitives
internal import SessionCore
internal import Wire

/// The HTTP part of a reactor: creates the handlers of the reactor's connections, and owns the components that these handlers
/// share.
final class HTTPService {
  /// The values and components that the HTTP services of all reactors share.
  struct Environment: Sendable {
    let configuration: GatewayConfiguration
    let log: Log
    let files: StaticFiles
    let proxyWarnings: ProxyWarnings
    let networkLinks: NetworkLinks
    let downloads: DownloadService.Environment
    let history: HistoryRoutes.Environment
    let monitoring: MonitoringRoutes.Environment
    let stopState: StopState
    /// Returns the addresses of the listeners.
    let endpoints: @Sendable () -> Endpoints
    let loads: SessionPlacement.Loads
    /// Returns the number of the reactor that owns a session.
    let owner: @Sendable (SessionID) -> Int
    /// Transfers a connection to another reactor; returns false if the reactor's mailbox is full.
    let handOver: @Sendable (ConnectionTransfer, _ reactor: Int) -> Bool
    /// Asks the reactor of a slow upload to end the upload; returns false if the reactor's mailbox is full.
    let evict: @Sendable (UploadTable.Eviction) -> Bool
  }

  let io: ConnectionIO
  let uploads: UploadService
  let downloads: DownloadService
  let sessions: SessionTable
  let placement: SessionPlacement
  let encoder: AnswerEncoder
  let webSocketUpgrade: WebSocketUpgrade
  let counters: ReactorCounters
  let logger: GatewayLogger
  let environment: Environment
  let reactor: Int
  private let router: Router
  private let sessionRoutes: SessionRoutes
  private let attachmentRoutes: AttachmentRoutes
  private let historyRoutes: HistoryRoutes
  private let fileRoutes: FileRoutes
  private let monitoring: MonitoringRoutes
  private let clock: LoopClock
  private let tasks: LoopTasks

  /// Creates the service of a reactor.
  ///
  /// - Parameters:
  ///   - environment: the parts that all reactors share.
  ///   - reactor: the number of the reactor.
  ///   - io: the connections of the reactor.
  ///   - sessions: the sessions of the reactor.
  ///   - creation: creates sessions.
  ///   - uploads: writes the bodies of uploads.
  ///   - publisher: publishes the counters for the metrics.
  ///   - clock: the clock of the reactor's loop.
  ///   - tasks: runs asynchronous work on the reactor.
  ///   - counters: the counters of the reactor.
  ///   - logger: logs refused requests.
  init(
    _ environment: Environment, reactor: Int, _ io: ConnectionIO, _ sessions: SessionTable,
    _ creation: SessionCreation, _ uploads: UploadService, _ publisher: MetricsPublisher, clock: LoopClock,
    tasks: LoopTasks, counters: ReactorCounters, logger: GatewayLogger
  ) {
    self.environment = environment
    self.reactor = reactor
    self.io = io
    self.uploads = uploads
    self.sessions = sessions
    placement = SessionPlacement(environment.loads, reactor: reactor, counters: counters)
    self.clock = clock
    self.tasks = tasks
    self.counters = counters
    self.logger = logger
    let configuration = environment.configuration
    downloads = DownloadService(
      environment.downloads, io, sessions, clock: clock, tasks: tasks, counters: counters)
    encoder = AnswerEncoder(configuration)
    router = Router(configuration)
    webSocketUpgrade = WebSocketUpgrade(servesEcho: configuration.servesEcho)
    sessionRoutes = SessionRoutes(
      sessions, creation, origins: Origins(configuration), networkLinks: environment.networkLinks,
      logger: logger)
    attachmentRoutes = AttachmentRoutes(
      sessions, uploads, downloads, limits: configuration.limits, logger: logger)
    historyRoutes = HistoryRoutes(environment.history, sessions, downloads, clock: clock, logger: logger)
    fileRoutes = FileRoutes(environment.files, origins: Origins(configuration))
    monitoring = MonitoringRoutes(environment.monitoring, reactor: reactor, publisher, clock: clock)
    uploads.perform = { [unowned self] in perform($0, over: $1) }
  }

  var now: MonotonicTime { clock.now }
  var limits: Limits { environment.configuration.limits }
  var isDraining: Bool { environment.stopState.isDraining }

  // MARK: - Connections

  /// Creates the handler of a new connection, which speaks HTTP at first.
  func makeHandler(of connection: Connection) -> HTTPConnection {
    var requestLimits = RequestLimits()
    requestLimits.headBytes = limits.headBytes
    requestLimits.requestLineBytes = limits.headBytes / 4
    requestLimits.fieldBytes = limits.headBytes
    requestLimits.bodyBytes = Router.bodyBytes
    return HTTPConnection(connection, self, .init(reader: RequestReader(limits: requestLimits)))
  }

  /// Returns the HTTP handler of a connection; nil if the connection no longer speaks HTTP.
  func handler(of key: Connection.Key) -> HTTPConnection? {
    io.table[key]?.handler as? HTTPConnection
  }

  // MARK: - Requests

  /// Returns the answer to a request whose head alone requires a redirect, a refusal or the answer to `OPTIONS`; nil for all
  /// other requests.
  func immediateAnswer(to head: RequestHead, _ route: Route, from client: ForwardedClient) -> Answer? {
    guard
      let (cause, answer) = router.immediateAnswer(
        to: head, route, from: client, httpsPort: environment.endpoints().https?.port)
    else { return nil }
    switch cause {
    case .misdirected:
      environment.proxyWarnings.warnOfOtherHost(head, from: client, now: now)
    case .foreignOrigin:
      logger.log(.refused(.request, .originRefused, EventSubject(address: client.address)))
    case .plainText, .unknownMethod, .options, .methodNotAllowed, .longBody:
      break
    }
    return answer
  }

  /// Returns the way in which a request is answered (`HTTPExchange.Plan`). The request was admitted and is not a WebSocket
  /// handshake.
  func plan(
    for head: RequestHead, _ route: Route, _ client: ForwardedClient, over connection: Connection
  ) -> HTTPExchange.Plan {
    switch route {
    case .sessions:
      return isDraining ? .answer(.problem(.restarting)) : .createSession
    case .session(nil), .attachments(nil), .attachment(nil, _), .history(nil):
      return .answer(.problem(.noSession))
    case .session(let id?):
      return .session(id)
    case .attachments(let id?):
      return attachmentRoutes.plan(
        for: head, of: id, nil, from: client, over: connection, isDraining: isDraining)
    case .attachment(_?, nil):
      return .answer(.problem(.noAttachment))
    case .attachment(let id?, let attachment?):
      return attachmentRoutes.plan(
        for: head, of: id, attachment, from: client, over: connection, isDraining: isDraining)
    case .history(let id?):
      return historyRoutes.plan(for: head, of: id, from: client)
    case .socket, .echo:
      return .answer(.nothingHere)
    case .unknownAPI:
      return .answer(.nothingHere(for: head))
    case .limits:
      return .answer(.json(.ok, WireJSON.encode(limits)))
    case .healthz:
      return .answer(monitoring.liveness)
    case .readyz:
      return .answer(monitoring.readiness)
    case .metrics:
      return monitoring.showsMetrics(head, to: client.address) ? .metrics : .answer(.nothingHere(for: head))
    case .file:
      return .answer(fileRoutes.answer(to: head, from: client))
    }
  }

  /// The maximum time for which a request waits for the verification of an attachment, or the extension of a history.
  private static let contentCheckTime = Duration.seconds(300)

  /// Starts the task that produces the answer to a completely received request.
  func answer(_ exchange: HTTPExchange, over http: HTTPConnection) {
    switch exchange.plan {
    case .attachments(.read, _), .history: http.connection.deadline = now + Self.contentCheckTime
    case .metrics: monitoring.publishCounters()
    default: break
    }
    let key = http.connection.key
    func response() async -> HTTPResponse? {
      switch exchange.plan {
      case .session(let id):
        HTTPResponse(
          answer: await sessionRoutes.describeOrEnd(id, for: exchange.head, from: exchange.client))
      case .attachments(let request, let id):
        await attachmentRoutes.answer(request, of: id, for: exchange.head, over: key)
      case .history(let request, let id):
        await historyRoutes.answer(request, of: id, for: exchange.head, from: exchange.client, over: key)
      case .metrics:
        HTTPResponse(answer: await monitoring.metrics())
      case .answer, .createSession, .upload:
        nil
      }
    }
    respond(to: exchange.head, over: http, with: response)
  }

  /// Reserves a place, on one of the reactors, for a session that a request creates. The successor of a session gets a place on
  /// the reactor of that session. While the gateway drains, every other session gets a place on this reactor, because other
  /// reactors may already be writing the last records of their sessions.
  func choosePlace(for request: ActivityRequest) -> SessionPlacement.Place {
    if let former = request.follows { return placement.place(on: environment.owner(former)) }
    return isDraining ? placement.place(on: reactor) : placement.choose()
  }

  /// Answers a request to create a session on this reactor. Until the session is created, `place` counts as one session in the
  /// load of this reactor.
  func createSession(
    _ request: ActivityRequest, at place: SessionPlacement.Place, for exchange: HTTPExchange,
    over http: HTTPConnection
  ) {
    func response() async -> HTTPResponse? {
      defer {
        // `place` counts as one session in the load until it is released. The load that includes the new session is published
        // before that, so the new session is counted at all times.
        placement.publishLoad()
        extendLifetime(place)
      }
      return HTTPResponse(
        answer: await sessionRoutes.create(request, for: exchange.head, from: exchange.client))
    }
    respond(to: exchange.head, over: http, with: response)
  }

  /// Logs that the body of a request is malformed.
  func logRefusedBody(on connection: Connection) {
    logger.log(.refused(.request, .badRequest, EventSubject(address: connection.clientAddress)))
  }

  /// Starts a task that produces an answer and sends it, unless the connection has closed meanwhile.
  ///
  /// - Parameters:
  ///   - head: the head of the request.
  ///   - http: the connection of the request.
  ///   - make: produces the answer; returns nil if the connection has closed. Pass a function, not a closure literal: see
  ///     `LoopTasks`.
  private func respond(
    to head: RequestHead, over http: HTTPConnection, with make: @escaping () async -> HTTPResponse?
  ) {
    http.awaitsAnswer = true
    let key = http.connection.key
    func respond() async {
      guard let response = await make(), let http = handler(of: key) else { return }
      http.send(response.answer, for: head, body: response.body)
    }
    tasks.start(respond)
  }

  // MARK: - Uploads

  /// Requests a slot for an upload, and opens the upload if it gets one.
  func open(_ upload: Upload) {
    guard uploads.admit(upload, evict: environment.evict) else { return }
    func open() async {
      await uploads.open(upload, in: await sessions.findOpen(upload.session))
    }
    tasks.start(open)
  }

  /// Performs an action for the connection of an upload.
  func perform(_ effect: UploadEffect, over key: Connection.Key) {
    handler(of: key)?.perform(effect)
  }
}
