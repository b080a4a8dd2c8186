internal import Synchronization
internal import Wire

/// The memory of all sessions together, and its limit.
final class SessionMemory: Sendable {
  /// The consequence of a change.
  enum Change: Equatable {
    case crowded
    case relieved
    case same
  }

  let limit: Int
  private let bytes = Atomic(0)
  private let sessionCount = Atomic(0)
  private let isCrowded = Atomic(false)
  private let reserved = Atomic(0)

  /// Creates a count of zero.
  ///
  /// - Parameter limit: the number of bytes above which sessions get memory only from a reserve.
  init(limit: Int) {
    self.limit = limit
  }

  /// The bytes of all sessions.
  var held: Int { bytes.load(ordering: .relaxed) }

  /// Adds a change of a session's memory to the sum.
  ///
  /// - Parameters:
  ///   - change: the difference in bytes.
  ///   - sessions: the difference in the number of sessions in memory.
  /// - Returns: `crowded` once when the limit is exceeded; `relieved` once when the total falls a sixteenth below the limit. The
  ///   difference avoids a change of the state with every entry.
  func hold(_ change: Int, sessions: Int = 0) -> Change {
    if sessions != 0 { sessionCount.add(sessions, ordering: .relaxed) }
    let held = bytes.add(change, ordering: .relaxed).newValue
    if held > limit { return isCrowded.exchange(true, ordering: .relaxed) ? .same : .crowded }
    guard held <= limit - limit / 16, isCrowded.load(ordering: .relaxed) else { return .same }
    return isCrowded.exchange(false, ordering: .relaxed) ? .relieved : .same
  }

  /// Returns the memory of all sessions in bytes if a session of this size must not grow now; nil if it may grow.
  ///
  /// Beyond the limit, another quarter of the limit is a reserve. A session may grow only while it uses less than an equal part
  /// of the free reserve. This part shrinks as sessions fill the reserve, so that smaller sessions still find room.
  func memoryPressure(for bytes: Int) -> Int? {
    let held = held
    guard held > limit else { return nil }
    let part = (most - held) / max(1, sessionCount.load(ordering: .relaxed))
    return bytes < part ? nil : held
  }

  /// The maximum memory of all sessions in bytes: the limit and the reserve.
  private var most: Int { limit / 4 * 5 }

  /// Reserves room for a session that is about to be read from the disk.
  ///
  /// - Returns: false, without a reservation, when there is no room.
  func reserve(_ bytes: Int) -> Bool {
    let total = reserved.add(bytes, ordering: .relaxed).newValue
    guard held + total > most else { return true }
    release(bytes)
    return false
  }

  /// Releases reserved bytes, because the session is in memory and counted, or was not loaded.
  func release(_ bytes: Int) {
    reserved.subtract(bytes, ordering: .relaxed)
  }
}
