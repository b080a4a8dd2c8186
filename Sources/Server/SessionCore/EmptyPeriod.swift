internal import FoundationEssentials
internal import Primitives

/// The time for which a session has had no active participants.
struct EmptyPeriod {
  /// The beginning of the period; nil while the session has active participants.
  private(set) var since: MonotonicTime?
  /// The wall time of the beginning, as recorded before the session was loaded; nil if the period began after the load.
  private var recorded: Date?

  /// Creates a period that begins with the creation of the session.
  init(since: MonotonicTime) {
    self.since = since
  }

  /// Begins a period without active participants, unless one has begun.
  mutating func begin(at now: MonotonicTime) {
    if since == nil { since = now }
  }

  /// Ends the period when a participant joins.
  mutating func end() {
    since = nil
    recorded = nil
  }

  /// Restores a period that began before the session was loaded.
  ///
  /// - Parameters:
  ///   - recorded: the wall time of its beginning, in the session's record.
  ///   - now: the present time.
  ///   - date: the present wall time.
  mutating func restore(_ recorded: Date, now: MonotonicTime, date: Date) {
    since = now.adding(seconds: -Int(max(0, min(date.timeIntervalSince(recorded), 1e9))))
    self.recorded = recorded
  }

  /// Returns the wall time at which the period without active participants began; nil while the session has active participants.
  ///
  /// If the time was recorded before a load, returns the recorded time. Otherwise, subtracts the length of the period from the
  /// present wall time, because the wall clock may have been corrected during the period.
  func date(now: MonotonicTime, date: Date) -> Date? {
    guard let since else { return nil }
    return recorded ?? date.addingTimeInterval(-now.seconds(since: since))
  }
}
