internal import Platform

/// The last published counters of each reactor. Any thread may read their sum.
package final class MetricsBoard: Sendable {
  /// The counters of one reactor with their own lock, so that reactors never wait for each other.
  private final class Slot: Sendable {
    let counters = Guarded(Counters())
  }

  private let slots: [Slot]

  /// Creates a board for reactors that are numbered from 0.
  package init(reactors: Int) {
    slots = (0..<reactors).map { _ in Slot() }
  }

  /// Replaces the published counters of a reactor.
  package func publish(_ counters: Counters, reactor: Int) {
    slots[reactor].counters.withLock { $0 = counters }
  }

  /// The busy time of each reactor's event loop, in seconds.
  package var busySeconds: [Double] {
    slots.map { $0.counters.withLock { $0.turnTimes.seconds } }
  }

  /// The sum of the counters that each reactor published last.
  package var total: Counters {
    var total = Counters()
    for slot in slots { total += slot.counters.withLock { $0 } }
    return total
  }
}
