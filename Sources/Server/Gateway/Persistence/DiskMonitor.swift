internal import Networking
internal import Storage
internal import Synchronization
internal import Platform
internal import Primitives
internal import Wire

/// What is known of the disk: whether sessions can be written to it, and how much room is left.
final class DiskMonitor: Sendable {
  /// What a reactor's batch changed about it.
  enum Change {
    case failing
    case well
    case same
  }

  private struct State {
    /// The reactors whose last batch failed, and when that was.
    var failing: [Int: MonotonicTime] = [:]
    var isFull = false
    var freeBytes: UInt64?
    /// Since when the file system has been asked and has not answered.
    var askedAt: MonotonicTime?
  }

  private let reserve: UInt64
  private let freeBytes: @Sendable () throws(StorageError) -> UInt64
  private let state = Guarded(State())
  /// How long a failure speaks against what is new.
  private static let failureTime = Duration.seconds(5)
  /// How long a file system may take to tell its room: a network's may need a while, and one that hangs needs for ever.
  static let patience = Duration.seconds(10)

  /// Watches a disk that `freeBytes` tells the room of, which may block.
  init(reserve: Int, freeBytes: @escaping @Sendable () throws(StorageError) -> UInt64) {
    self.freeBytes = freeBytes
    self.reserve = UInt64(clamping: reserve)
  }

  /// Takes note of how a reactor's batch went.
  func note(_ failure: StorageError?, of reactor: Int, now: MonotonicTime) -> Change {
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
      case (true, false): return .well
      default: return .same
      }
    }
  }

  /// Looks how much room there is. It blocks, for a microsecond as a rule: a file system answers from memory, or over a network.
  func measure(now: MonotonicTime) {
    state.withLock { $0.askedAt = now }
    // A folder that cannot be asked shows itself when it is written to.
    let free = try? freeBytes()
    state.withLock { state in
      state.freeBytes = free
      state.askedAt = nil
    }
  }

  /// Whether batches fail, and the room as it was measured last, in bytes.
  var figures: (isFailing: Bool, free: UInt64?) {
    state.withLock { (!$0.failing.isEmpty, $0.freeBytes) }
  }

  /// Why nothing new is taken at present: no session, no upload.
  func refusal(now: MonotonicTime) -> Refusal? {
    state.withLock { state in
      // Where a session waits to be written it is tried every second; where none does, who comes next tries.
      if state.failing.values.contains(where: { now - $0 < Self.failureTime }) {
        var refusal = Refusal(
          .storageFull,
          state.isFull
            ? "The gateway's disk is full: nothing new can be kept until there is room."
            : "The gateway's disk fails: nothing new can be kept until it is mended.")
        refusal.retryAfterMs = 10_000
        return refusal
      }
      if let askedAt = state.askedAt, now - askedAt >= Self.patience {
        var refusal = Refusal(
          .storageFull, "The gateway's disk gives no answer: nothing new can be kept until it does.")
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

/// Measures the free space of the disk, on its own thread, so that a disk that does not answer delays nothing else.
actor DiskGauge {
  /// The time between two measurements. While the disk answers, the figures of `DiskMonitor` are not older.
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
