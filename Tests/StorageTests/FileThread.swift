import Storage
import Platform

/// Makes storage calls on a separate thread, as the gateway does.
actor FileThread {
  private let executor: BlockingExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init(executor: BlockingExecutor) {
    self.executor = executor
  }

  func send(_ file: ContentFile, to socket: CInt) -> SendOutcome {
    file.send(to: socket, at: 0, count: Int(file.length))
  }

  /// Runs `body` on the file thread. `body` can use values that are not `Sendable`.
  func run<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
    try body()
  }
}
