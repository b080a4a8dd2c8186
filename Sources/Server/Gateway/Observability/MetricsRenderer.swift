internal import Platform
internal import Primitives

/// Renders the metrics on its own thread, so that no reactor is delayed: the text has hundreds of lines, and the system calls
/// take milliseconds.
actor MetricsRenderer {
  private let executor: BlockingExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(on executor: BlockingExecutor) {
    self.executor = executor
  }

  /// Returns the text of `/metrics`.
  func render(_ board: MetricsBoard, _ status: GatewayStatus, startedAt: WallTime) -> String {
    let build = MetricsText.Build(
      version: Product.version, swiftVersion: Product.swiftVersion, openSSLVersion: Product.openSSLVersion,
      startTime: startedAt.secondsSince1970)
    return MetricsText.render(board.total, status, .now(), build: build)
  }
}
