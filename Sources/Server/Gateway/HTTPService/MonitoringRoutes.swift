internal import HTTP
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// Answers health checks and requests for metrics.
final class MonitoringRoutes {
  /// The values and components that the monitoring routes of all reactors share.
  struct Environment: Sendable {
    let access: MetricsAccess
    let board: MetricsBoard
    let renderer: MetricsRenderer
    let startedAt: WallTime
    let stopState: StopState
    /// Returns the state of the gateway for the metrics.
    let status: @Sendable (MonotonicTime) -> GatewayStatus
    /// Returns the numbers of the reactors that do not respond to the given reactor at the given time.
    let hangingReactors: @Sendable (_ reactor: Int, MonotonicTime) -> [Int]
  }

  private let environment: Environment
  private let reactor: Int
  private let publisher: MetricsPublisher
  private let clock: LoopClock

  init(_ environment: Environment, reactor: Int, _ publisher: MetricsPublisher, clock: LoopClock) {
    self.environment = environment
    self.reactor = reactor
    self.publisher = publisher
    self.clock = clock
  }

  /// The answer to `/healthz`: 503 if a reactor hangs, because only a restart of the gateway helps. A full disk does not change
  /// the answer.
  var liveness: Answer {
    guard let first = environment.hangingReactors(reactor, clock.now).first else { return .status("alive") }
    var refusal = Refusal(
      .internal, "A thread of the gateway hangs: reactor \(first) has not responded for too long.")
    refusal.status = 503
    return .problem(refusal)
  }

  /// The answer to `/readyz`: 503 after the gateway was told to stop. A full disk or a reached connection limit does not change
  /// the answer, because the gateway still serves existing sessions and connections.
  var readiness: Answer {
    environment.stopState.isStopping ? .problem(.restarting) : .status("ready")
  }

  /// Returns true if a request may read the metrics, according to `MetricsAccess`.
  func showsMetrics(_ head: RequestHead, to client: IPAddress) -> Bool {
    environment.access.admits(head, from: client)
  }

  /// Publishes the counters of this reactor, so that the metrics that are rendered next contain them.
  func publishCounters() { publisher.publish() }

  /// Returns the rendered metrics of all reactors. Events of other reactors in the last few hundredths of a second may be
  /// missing.
  func metrics() async -> Answer {
    let page = await environment.renderer.render(
      environment.board, environment.status(clock.now), startedAt: environment.startedAt)
    return .text(.ok, page, type: MetricsText.contentType)
  }
}
