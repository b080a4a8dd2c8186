/// What came in and went out since it was begun.
struct Tally: Sendable {
  /// From a message's send to the read that brought it, in nanoseconds; the delivered ones alone.
  var latency = Histogram()
  /// How late the messages of an open loop were sent, in nanoseconds.
  var lateness = Histogram()
  var sent = 0
  var delivered = 0
  /// Messages that came back to their senders.
  var echoes = 0
  /// Entries without our mark: the gateway's own.
  var others = 0
  var reads = 0
  var bytesReceived = 0
  /// Messages of an open loop that were left out because they were far too late.
  var skipped = 0
  /// Sends of which the kernel did not take all.
  var blocked = 0
}
