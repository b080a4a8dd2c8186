internal import Primitives
internal import Wire

/// How fast a participant's side sends, so that the gateway need not refuse: its rates, and three quarters of the burst that
/// it allows, for the network may bring together what was sent apart.
struct Pace: Sendable {
  private var entriesPerSecond: Double
  private var bytesPerSecond: Double
  private var entries: Double
  private var bytes: Double
  private var filledAt: MonotonicTime

  private static let burstSeconds = 1.5

  /// With all of its burst.
  init(_ limits: Limits, now: MonotonicTime) {
    entriesPerSecond = Double(max(1, limits.entriesPerSecond))
    bytesPerSecond = Double(max(1, limits.bytesPerSecond))
    entries = max(1, entriesPerSecond * Self.burstSeconds)
    bytes = max(1, bytesPerSecond * Self.burstSeconds)
    filledAt = now
  }

  /// Other limits from now on; what there is stays.
  mutating func use(_ limits: Limits, now: MonotonicTime) {
    fill(now)
    entriesPerSecond = Double(max(1, limits.entriesPerSecond))
    bytesPerSecond = Double(max(1, limits.bytesPerSecond))
  }

  /// The gateway found it too fast.
  mutating func drain(now: MonotonicTime) {
    entries = 0
    bytes = 0
    filledAt = now
  }

  /// Takes an entry of so many bytes, or nothing.
  /// - Returns: nil when it may go, else how long it has to wait.
  mutating func take(_ size: Int, entries count: Int = 1, now: MonotonicTime) -> Duration? {
    fill(now)
    // What is larger than the burst passes when all of that is there.
    let lackingEntries = min(Double(count), max(1, entriesPerSecond * Self.burstSeconds)) - entries
    let lackingBytes = min(Double(size), max(1, bytesPerSecond * Self.burstSeconds)) - bytes
    let seconds = max(lackingEntries / entriesPerSecond, lackingBytes / bytesPerSecond)
    guard seconds <= 0 else { return .milliseconds(Int64((seconds * 1000).rounded(.up))) }
    entries -= Double(count)
    bytes -= Double(size)
    return nil
  }

  private mutating func fill(_ now: MonotonicTime) {
    guard now > filledAt else { return }
    let elapsed = Double(now.nanoseconds - filledAt.nanoseconds) / 1e9
    entries = min(max(1, entriesPerSecond * Self.burstSeconds), entries + elapsed * entriesPerSecond)
    bytes = min(max(1, bytesPerSecond * Self.burstSeconds), bytes + elapsed * bytesPerSecond)
    filledAt = now
  }
}
