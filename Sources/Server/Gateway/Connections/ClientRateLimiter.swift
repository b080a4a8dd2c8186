internal import Networking
internal import Primitives

/// A limit on the rate of each client's requests. A client is an IPv4 address or the /64 of an IPv6 address.
struct ClientRateLimiter: Sendable {
  /// The time between two removals of full buckets.
  private static let pruneInterval = Duration.seconds(60)

  private let rate: TokenBucket.Rate
  /// The buckets of the clients whose buckets were not full at the last removal.
  private var buckets: [IPAddress: TokenBucket] = [:]
  private var prunedAt = MonotonicTime.distantPast

  /// Creates a limiter. The capacity of `rate` is the size of the largest burst.
  init(_ rate: TokenBucket.Rate) {
    self.rate = rate
  }

  /// The number of clients with a bucket.
  var count: Int { buckets.count }

  /// Counts a request of a client if the limit allows the request.
  ///
  /// - Returns: nil if the request is counted, otherwise the time until the client may send it again, at least 1 ms.
  mutating func admit(_ address: IPAddress, cost: Double = 1, at now: MonotonicTime) -> Duration? {
    removeFullBuckets(at: now)
    var bucket = buckets[address.network] ?? TokenBucket(full: rate, at: now)
    let isAdmitted = bucket.tryConsume(cost, by: rate, at: now)
    buckets[address.network] = bucket
    return isAdmitted ? nil : max(.milliseconds(1), bucket.delay(until: cost, by: rate))
  }

  /// Removes the full buckets once a minute. A client whose bucket was removed gets a new full bucket with its next request.
  private mutating func removeFullBuckets(at now: MonotonicTime) {
    guard prunedAt == .distantPast || now - prunedAt >= Self.pruneInterval else { return }
    prunedAt = now
    for (address, bucket) in buckets {
      var bucket = bucket
      bucket.refill(by: rate, at: now)
      if bucket.canConsume(rate.capacity, by: rate) { buckets[address] = nil }
    }
  }
}
