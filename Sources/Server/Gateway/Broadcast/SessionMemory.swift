internal import Synchronization
internal import Wire

/// The memory that all sessions of the gateway use together, and the limit of this memory.
final class SessionMemory: Sendable {
  /// The result of a change of the memory in use: the gateway becomes short of memory, is no longer short of memory, or stays as
  /// it was.
  enum Change: Equatable {
    /// The memory in use now exceeds the limit.
    case crowded
    /// The memory in use is now well below the limit again.
    case relieved
    /// The state has not changed.
    case same
  }

  let limit: Int
  private let bytes = Atomic(0)
  private let sessionCount = Atomic(0)
  private let isCrowded = Atomic(false)
  private let reserved = Atomic(0)

  /// Creates a count of zero bytes.
  ///
  /// - Parameter limit: the number of bytes above which sessions get memory only from a reserve.
  init(limit: Int) {
    self.limit = limit
  }

  /// The number of bytes that all sessions use.
  var held: Int { bytes.load(ordering: .relaxed) }

  /// Adds a change of a session's memory to the sum.
  ///
  /// - Parameters:
  ///   - change: the difference in bytes.
  ///   - sessions: the difference in the number of sessions in memory.
  /// - Returns: `crowded` for the change that exceeds the limit, `relieved` for the later change after which the sum is at least
  ///   a sixteenth below the limit, otherwise `same`. The gap of a sixteenth keeps single entries from changing the state
  ///   repeatedly.
  func hold(_ change: Int, sessions: Int = 0) -> Change {
    if sessions != 0 { sessionCount.add(sessions, ordering: .relaxed) }
    let held = bytes.add(change, ordering: .relaxed).newValue
    if held > limit { return isCrowded.exchange(true, ordering: .relaxed) ? .same : .crowded }
    guard held <= limit - limit / 16, isCrowded.load(ordering: .relaxed) else { return .same }
    return isCrowded.exchange(false, ordering: .relaxed) ? .relieved : .same
  }

  /// Decides if a session that uses `bytes` bytes may grow now.
  ///
  /// Beyond the limit, the gateway has a reserve of a quarter of the limit. In the reserve, a session may grow only while it uses
  /// fewer bytes than its share: the free reserve, divided by the number of sessions. The share shrinks as sessions fill the
  /// reserve, so that smaller sessions still find room.
  ///
  /// - Returns: nil if the session may grow, otherwise the number of bytes that all sessions use.
  func memoryPressure(for bytes: Int) -> Int? {
    let held = held
    guard held > limit else { return nil }
    let part = (most - held) / max(1, sessionCount.load(ordering: .relaxed))
    return bytes < part ? nil : held
  }

  /// The maximum memory of all sessions in bytes: the limit plus the reserve, which is a quarter of the limit.
  private var most: Int { limit / 4 * 5 }

  /// Reserves memory for a session that is about to be loaded from the disk.
  ///
  /// - Returns: false if the free memory is too small. In this case, nothing is reserved.
  func reserve(_ bytes: Int) -> Bool {
    let total = reserved.add(bytes, ordering: .relaxed).newValue
    guard held + total > most else { return true }
    release(bytes)
    return false
  }

  /// Releases reserved bytes. Called when the session has been loaded and its own bytes are counted, or when the session could
  /// not be loaded.
  func release(_ bytes: Int) {
    reserved.subtract(bytes, ordering: .relaxed)
  }
}
