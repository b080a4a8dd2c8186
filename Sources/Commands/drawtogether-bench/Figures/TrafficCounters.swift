/// The counters of sent and received messages.
struct TrafficCounters: Sendable {
  var deliveries = DeliveryCounter()
  /// The delays of messages in an open loop, in nanoseconds.
  var lateness = Histogram()
  var sent = 0
  var reads = 0
  /// Messages of an open loop that were skipped because they were too late.
  var skipped = 0
  /// Sends that the kernel accepted only partially or not at all.
  var blocked = 0

  var delivered: Int { deliveries.delivered }
  var echoes: Int { deliveries.echoes }
  var latency: Histogram { deliveries.latency }
}
