internal import Synchronization

/// Chooses the reactor on which a new session is created: the reactor with the lowest load.
///
/// The load of a reactor is the number of its sessions in memory, of their participants, and of the sessions that are being
/// created on it. The placement of each reactor publishes the load of its reactor and reads the loads of the others, without
/// a lock.
final class SessionPlacement {
  /// The published loads of all reactors.
  final class Loads: Sendable {
    private final class Load: Sendable {
      /// The number of sessions in memory, plus the number of their participants.
      let present = Atomic(0)
      /// The number of sessions that are being created.
      let pending = Atomic(0)
    }

    private let reactors: [Load]

    /// Creates the loads of reactors that are numbered from 0. All loads are zero.
    init(reactors: Int) {
      self.reactors = (0..<reactors).map { _ in Load() }
    }

    /// The present load of each reactor.
    var all: [Int] {
      reactors.map { $0.present.load(ordering: .relaxed) + $0.pending.load(ordering: .relaxed) }
    }

    fileprivate func publish(_ present: Int, reactor: Int) {
      reactors[reactor].present.store(present, ordering: .relaxed)
    }

    fileprivate func addPending(_ change: Int, reactor: Int) {
      reactors[reactor].pending.add(change, ordering: .relaxed)
    }
  }

  /// A place on one reactor, reserved for a session that is being created. Until the last reference to the place is released, the
  /// place counts as one session in the load of the reactor.
  final class Place: Sendable {
    let reactor: Int
    private let loads: Loads

    fileprivate init(on reactor: Int, _ loads: Loads) {
      self.reactor = reactor
      self.loads = loads
      loads.addPending(1, reactor: reactor)
    }

    deinit {
      loads.addPending(-1, reactor: reactor)
    }
  }

  private let loads: Loads
  private let reactor: Int
  private let counters: ReactorCounters
  private var published = 0

  init(_ loads: Loads, reactor: Int, counters: ReactorCounters) {
    self.loads = loads
    self.reactor = reactor
    self.counters = counters
  }

  /// Publishes the load of this reactor, if the load has changed.
  func publishLoad() {
    let present = Int(counters.values.sessions + counters.values.participants)
    guard present != published else { return }
    published = present
    loads.publish(present, reactor: reactor)
  }

  /// Reserves a place for a new session on the reactor with the lowest load. If the reactor of this object is one of those with
  /// the lowest load, the place is on this reactor, because then the connection of the request need not be transferred.
  func choose() -> Place {
    publishLoad()
    let all = loads.all
    let lowest = all.indices.min { all[$0] < all[$1] } ?? reactor
    return place(on: all[lowest] < all[reactor] ? lowest : reactor)
  }

  /// Reserves a place for a new session on the given reactor.
  func place(on reactor: Int) -> Place {
    Place(on: reactor, loads)
  }
}
