internal import Platform

/// Where each reactor publishes its counters and anybody reads their sum.
package final class MetricsBoard: Sendable {
  /// One reactor's copy, with a lock of its own, so that reactors never wait for each other.
  private final class Slot: Sendable {
    let counters = Guarded(Counters())
  }

  private let slots: [Slot]

  /// A board for that many reactors.
  package init(reactors: Int) {
    slots = (0..<reactors).map { _ in Slot() }
  }

  /// Replaces what a reactor has published.
  package func publish(_ counters: Counters, reactor: Int) {
    slots[reactor].counters.withLock { $0 = counters }
  }

  /// The busy time of each reactor's event loop, in seconds.
  package var busySeconds: [Double] {
    slots.map { $0.counters.withLock { $0.turnTimes.seconds } }
  }

  /// The sum over all reactors of what each published last.
  package var total: Counters {
    var total = Counters()
    for slot in slots { total += slot.counters.withLock { $0 } }
    return total
  }
}
