internal import Networking
internal import Storage
internal import Synchronization
internal import Platform
internal import Primitives
internal import Wire

/// The state of the disk: recent failures of writes, and the free space.
final class DiskMonitor: Sendable {
  /// The change of the disk's state after a batch.
  enum Change {
    case failing
    case recovered
    case unchanged
  }

  private struct State {
    /// The reactors whose last batch failed, with the time of each failure.
    var failing: [Int: MonotonicTime] = [:]
    var isFull = false
    var freeBytes: UInt64?
    /// The time at which the measurement in progress began; nil when none is in progress.
    var measuringSince: MonotonicTime?
  }

  private let reserve: UInt64
  private let freeBytes: @Sendable () throws(StorageError) -> UInt64
  private let state = Guarded(State())
  /// The time for which new data is refused after a failed write.
  private static let failureTime = Duration.seconds(5)
  /// The time after which a measurement of the free space counts as hanging. A network file system may be slow, or never answer.
  static let measurementTimeout = Duration.seconds(10)

  /// Creates the monitor of a disk. `freeBytes` reads the free space, and may block.
  init(reserve: Int, freeBytes: @escaping @Sendable () throws(StorageError) -> UInt64) {
    self.freeBytes = freeBytes
    self.reserve = UInt64(clamping: reserve)
  }

  /// Records the outcome of a reactor's batch. Returns the resulting change of the disk's state.
  func recordBatch(failure: StorageError?, of reactor: Int, now: MonotonicTime) -> Change {
    state.withLock { state in
      let wasFailing = !state.failing.isEmpty
      if let failure {
        state.failing[reactor] = now
        state.isFull = failure.isFull
      } else {
        state.failing[reactor] = nil
      }
      switch (wasFailing, !state.failing.isEmpty) {
      case (false, true): return .failing
      case (true, false): return .recovered
      default: return .unchanged
      }
    }
  }

  /// Measures the free space. The call blocks, usually for a microsecond; with a network file system it may take longer.
  func measure(now: MonotonicTime) {
    state.withLock { $0.measuringSince = now }
    // If the folder is not accessible, the next write detects that.
    let free = try? freeBytes()
    state.withLock { state in
      state.freeBytes = free
      state.measuringSince = nil
    }
  }

  /// `isFailing` is true while batches fail. `free` is the last measured free space in bytes; nil if unknown.
  var figures: (isFailing: Bool, free: UInt64?) {
    state.withLock { (!$0.failing.isEmpty, $0.freeBytes) }
  }

  /// Returns the refusal of new sessions and uploads; nil while they are accepted.
  func refusal(now: MonotonicTime) -> Refusal? {
    state.withLock { state in
      // A session with unsaved entries repeats a failed write every second. While the disk fails, each repeated failure renews
      // this refusal. If no session has unsaved entries, the refusal ends after `failureTime`. The next data that a client adds
      // then tests the disk.
      if state.failing.values.contains(where: { now - $0 < Self.failureTime }) {
        var refusal = Refusal(
          .storageFull,
          state.isFull
            ? "The gateway's disk is full: no new data can be stored until there is room."
            : "The gateway's disk fails: no new data can be stored until it is repaired.")
        refusal.retryAfterMs = 10_000
        return refusal
      }
      if let measuringSince = state.measuringSince, now - measuringSince >= Self.measurementTimeout {
        var refusal = Refusal(
          .storageFull, "The gateway's disk does not answer: no new data can be stored until it answers.")
        refusal.retryAfterMs = 10_000
        return refusal
      }
      guard let free = state.freeBytes, free < reserve else { return nil }
      var refusal = Refusal(
        .storageFull,
        "The gateway's disk is nearly full: \(free) bytes are left, and \(reserve) have to stay free.",
        limit: Int(clamping: reserve), actual: Int(clamping: free))
      refusal.retryAfterMs = 10_000
      return refusal
    }
  }
}

/// Measures the free space of the disk on its own thread, so that a disk that does not answer delays no other work.
actor DiskGauge {
  /// The time between two measurements. While the disk answers, the values of `DiskMonitor` are at most this old.
  static let interval = Duration.seconds(1)

  private let executor: BlockingExecutor
  private let monitor: DiskMonitor

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ monitor: DiskMonitor, on executor: BlockingExecutor) {
    self.monitor = monitor
    self.executor = executor
  }

  func measure() {
    monitor.measure(now: .now())
  }
}
