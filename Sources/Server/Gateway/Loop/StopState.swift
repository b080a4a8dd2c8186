internal import Synchronization

/// The progress of stopping the gateway. Any thread may read it.
final class StopState: Sendable {
  private let draining = Atomic(false)
  private let stopping = Atomic(false)

  /// True after a request to stop. `/readyz` then answers 503. After the drain delay, `isDraining` becomes true too.
  var isStopping: Bool {
    get { stopping.load(ordering: .acquiring) }
    set { stopping.store(newValue, ordering: .releasing) }
  }

  /// True while the gateway writes its last records and closes its connections.
  var isDraining: Bool {
    get { draining.load(ordering: .acquiring) }
    set { draining.store(newValue, ordering: .releasing) }
  }
}
