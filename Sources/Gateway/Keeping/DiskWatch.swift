internal import Storage
internal import Synchronization
internal import Transport
internal import Wire

/// What is known of the disk: whether sessions can be written to it, and how much room is left.
final class DiskWatch: Sendable {
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
    var measuredAt: MonotonicTime?
  }

  private let reserve: UInt64
  private let data: DataFolder
  private let state = Guarded(State())
  /// How long a failure speaks against what is new.
  private static let failureTime = Duration.seconds(5)
  /// How long a measurement of the room counts.
  private static let measureInterval = Duration.seconds(1)

  init(_ data: DataFolder, reserve: Int) {
    self.data = data
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

  /// Looks how much room there is, unless that was looked at just now. It blocks, for a microsecond as a rule: the file system
  /// answers from memory.
  func measure(now: MonotonicTime) {
    let isDue = state.withLock { state in
      guard state.measuredAt.map({ now - $0 >= Self.measureInterval }) ?? true else { return false }
      state.measuredAt = now
      return true
    }
    guard isDue else { return }
    // A folder that cannot be asked shows itself when it is written to.
    let free = try? data.freeBytes()
    state.withLock { $0.freeBytes = free }
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
