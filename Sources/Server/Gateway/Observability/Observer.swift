internal import Platform
internal import Primitives

/// Puts the metrics together, on a thread of its own: hundreds of lines, and a look at the process that may take milliseconds.
actor Observer {
  private let executor: BlockingExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(on executor: BlockingExecutor) {
    self.executor = executor
  }

  /// The whole text.
  func page(_ board: MetricsBoard, _ standing: Standing, startedAt: WallTime) -> String {
    let build = MetricsText.Build(
      version: Product.version, swiftVersion: Product.swiftVersion, openSSLVersion: Product.openSSLVersion,
      startTime: startedAt.secondsSince1970)
    return MetricsText.render(board.total, standing, .now(), build: build)
  }
}
