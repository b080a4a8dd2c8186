internal import Networking
internal import Primitives

/// A limit on the number of sessions that each client creates per minute. A client is an IPv4 address or the /64 of an IPv6
/// address.
struct SessionCreationLimiter: Sendable {
  /// The time between two removals of full buckets, and the time in which an empty bucket becomes full.
  private static let minute = Duration.seconds(60)

  private let rate: TokenBucket.Rate
  /// The buckets of the clients that created sessions within the last two minutes.
  private var buckets: [IPAddress: TokenBucket] = [:]
  private var prunedAt = MonotonicTime.distantPast

  /// Creates a limiter.
  ///
  /// - Parameter perMinute: the number of sessions that a client may create per minute. It is also the size of the largest burst,
  ///   and must be above zero.
  init(perMinute: Int) {
    rate = TokenBucket.Rate(tokensPerSecond: Double(perMinute) / 60, capacity: Double(perMinute))
  }

  /// The number of clients with a bucket.
  var count: Int { buckets.count }

  /// Counts one more session of a client, if the limit allows it.
  ///
  /// - Returns: nil if the session is counted, otherwise the time until the client may create a session, at least 1 ms.
  mutating func admit(_ address: IPAddress, at now: MonotonicTime) -> Duration? {
    removeFullBuckets(at: now)
    var bucket = buckets[address.network] ?? TokenBucket(full: rate, at: now)
    let isAdmitted = bucket.tryConsume(1, by: rate, at: now)
    buckets[address.network] = bucket
    return isAdmitted ? nil : max(.milliseconds(1), bucket.delay(until: 1, by: rate))
  }

  /// Removes the full buckets once a minute. A client whose bucket was removed gets a new full bucket with its next session.
  private mutating func removeFullBuckets(at now: MonotonicTime) {
    guard prunedAt == .distantPast || now - prunedAt >= Self.minute else { return }
    prunedAt = now
    for (address, bucket) in buckets {
      var bucket = bucket
      bucket.refill(by: rate, at: now)
      if bucket.canConsume(rate.capacity, by: rate) { buckets[address] = nil }
    }
  }
}
