internal import Platform

/// The threads that requests block: as many as there is work for, up to a limit, and none when there is none.
///
/// Never the pool of Swift's tasks, which has a thread a core and would stand still with them, and never an event loop.
final class RequestThreadPool: Sendable {
  /// What a request is to others that wait.
  enum Lane: Sendable {
    /// Asked and answered in a word.
    case brief
    /// Brings or fetches a content, which may take as long as the line does.
    case transfer
  }

  private struct Job: Sendable {
    let lane: Lane
    let run: @Sendable () -> Void
    let fail: @Sendable (SessionClientError) -> Void
  }

  private struct State {
    var threads = 0
    var transfers = 0
    var brief: [Job] = []
    var waitingTransfers: [Job] = []
  }

  /// The process's.
  static let shared = RequestThreadPool(limit: 8, transferLimit: 6)

  private let limit: Int
  private let transferLimit: Int
  private let state = Guarded(State())

  /// - Parameters:
  ///   - limit: the most threads.
  ///   - transferLimit: how many of them contents may have, so that there is always one for what is brief.
  init(limit: Int, transferLimit: Int) {
    self.limit = limit
    self.transferLimit = transferLimit
  }

  /// How many threads there are now.
  var count: Int { state.withLock { $0.threads } }

  /// Does something that blocks on one of the threads, and waits for it without blocking.
  ///
  /// - Throws: what the body throws; `cancelled` at once when the waiting task is: what the body has is then given up.
  func run<Value: Sendable>(
    _ lane: Lane, _ body: @escaping @Sendable (CancellationToken) throws(SessionClientError) -> Value
  ) async throws(SessionClientError) -> Value {
    let promise = Promise<Value>()
    let cancellation = CancellationToken()
    let job = Job(lane: lane) {
      guard !cancellation.isCancelled else { return }
      do throws(SessionClientError) {
        promise.resolve(.success(try body(cancellation)))
      } catch {
        promise.resolve(.failure(cancellation.isCancelled ? .cancelled : error))
      }
    } fail: {
      promise.resolve(.failure($0))
    }
    start(job)
    do throws(SessionClientError) {
      return try await promise.value()
    } catch {
      if error == .cancelled { cancellation.cancel() }
      throw error
    }
  }

  private func start(_ job: Job) {
    let needsThread = state.withLock { state in
      switch job.lane {
      case .brief: state.brief.append(job)
      case .transfer: state.waitingTransfers.append(job)
      }
      let hasRoom = job.lane == .brief || state.transfers < transferLimit
      guard hasRoom, state.threads < limit else { return false }
      state.threads += 1
      return true
    }
    guard needsThread else { return }
    do throws(SystemError) {
      try SystemThread(name: "requests") { self.work() }.detach()
    } catch {
      fail(error)
    }
  }

  /// A thread could not be had. The others do what waits; without others there is nobody to do it.
  private func fail(_ error: SystemError) {
    let failed: [Job] = state.withLock { state in
      state.threads -= 1
      guard state.threads == 0 else { return [] }
      defer { (state.brief, state.waitingTransfers) = ([], []) }
      return state.brief + state.waitingTransfers
    }
    for job in failed { job.fail(.unreachable("there is no thread for the request: \(error)")) }
  }

  private func work() {
    while let job = next() {
      job.run()
      if job.lane == .transfer { state.withLock { $0.transfers -= 1 } }
    }
  }

  /// The next thing to do; with nil the thread ends, and is counted out by that.
  private func next() -> Job? {
    state.withLock { state in
      if !state.brief.isEmpty { return state.brief.removeFirst() }
      if !state.waitingTransfers.isEmpty, state.transfers < transferLimit {
        state.transfers += 1
        return state.waitingTransfers.removeFirst()
      }
      state.threads -= 1
      return nil
    }
  }
}
