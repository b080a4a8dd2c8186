internal import Networking
internal import Primitives

/// A limit on the number of sessions that each client creates per minute. A client is an IPv4 address or the /64 of an IPv6
/// address.
struct SessionCreationLimiter: Sendable {
  private var clients: ClientRateLimiter

  /// Creates a limiter.
  ///
  /// - Parameter perMinute: the number of sessions that a client may create per minute. It is also the size of the largest burst,
  ///   and must be above zero.
  init(perMinute: Int) {
    clients = ClientRateLimiter(
      TokenBucket.Rate(tokensPerSecond: Double(perMinute) / 60, capacity: Double(perMinute)))
  }

  /// The number of clients with a bucket.
  var count: Int { clients.count }

  /// Counts one more session of a client, if the limit allows it.
  ///
  /// - Returns: nil if the session is counted, otherwise the time until the client may create a session, at least 1 ms.
  mutating func admit(_ address: IPAddress, at now: MonotonicTime) -> Duration? {
    clients.admit(address, at: now)
  }
}
