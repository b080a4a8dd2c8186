internal import Synchronization

/// The progress of the gateway's stop, for all threads.
final class StopState: Sendable {
  private let draining = Atomic(false)
  private let stopping = Atomic(false)

  /// True from the request to stop on: `/readyz` then answers 503. `isDraining` follows after the drain delay.
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
