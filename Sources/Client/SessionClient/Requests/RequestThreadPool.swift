internal import Platform

/// The threads on which requests block: one thread for each running request, up to a limit. Without requests there are no
/// threads.
///
/// Requests therefore do not block an event loop or the thread pool of Swift's tasks, which has only one thread for each core.
final class RequestThreadPool: Sendable {
  /// The priority class of a request.
  enum Lane: Sendable {
    /// A short request with a short response.
    case brief
    /// An upload or a download, which may take long.
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

  /// The pool of the process.
  static let shared = RequestThreadPool(limit: 8, transferLimit: 6)

  private let limit: Int
  private let transferLimit: Int
  private let state = Guarded(State())

  /// Creates a pool.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of threads.
  ///   - transferLimit: the maximum number of threads for transfers, so that at least one thread is always free for short
  ///     requests.
  init(limit: Int, transferLimit: Int) {
    self.limit = limit
    self.transferLimit = transferLimit
  }

  /// The number of threads at present.
  var count: Int { state.withLock { $0.threads } }

  /// Runs a blocking function on one of the threads. The caller waits without blocking a thread.
  ///
  /// - Throws: the function's error; `cancelled` immediately when the waiting task is cancelled, which also cancels the
  ///   function's request.
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

  /// Handles the failure to start a thread. The running threads will also execute the waiting requests. If no thread is running,
  /// the waiting requests fail.
  private func fail(_ error: SystemError) {
    let failed: [Job] = state.withLock { state in
      state.threads -= 1
      guard state.threads == 0 else { return [] }
      defer { (state.brief, state.waitingTransfers) = ([], []) }
      return state.brief + state.waitingTransfers
    }
    for job in failed { job.fail(.unreachable("no thread is available for the request: \(error)")) }
  }

  private func work() {
    while let job = next() {
      job.run()
      if job.lane == .transfer { state.withLock { $0.transfers -= 1 } }
    }
  }

  /// Removes and returns the next job. If the result is nil, the calling thread is no longer counted and must end.
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
