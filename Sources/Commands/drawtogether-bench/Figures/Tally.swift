/// What went out and came in since it was begun.
struct Tally: Sendable {
  var arrivals = Arrivals()
  /// How late the messages of an open loop were sent, in nanoseconds.
  var lateness = Histogram()
  var sent = 0
  var reads = 0
  /// Messages of an open loop that were left out because they were far too late.
  var skipped = 0
  /// Sends of which the kernel did not take all.
  var blocked = 0

  var delivered: Int { arrivals.delivered }
  var echoes: Int { arrivals.echoes }
  var latency: Histogram { arrivals.latency }
}
