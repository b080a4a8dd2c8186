internal import Networking
internal import Platform

/// A table with one count per client. A client is an IPv4 address, or the /64 of an IPv6 address.
struct ClientCounts: ~Copyable, Sendable {
  private let counts = Guarded<[IPAddress: Int]>([:])

  /// Adds one to a client's count, unless the result would exceed the limit.
  ///
  /// - Returns: the count of the client plus one. If this number exceeds the limit, the count is unchanged.
  func countUp(_ address: IPAddress, limit: Int) -> Int {
    counts.withLock { counts in
      let count = counts[address.network, default: 0] + 1
      if count <= limit { counts[address.network] = count }
      return count
    }
  }

  func countDown(_ address: IPAddress) {
    counts.withLock { counts in
      guard let count = counts[address.network] else { return }
      counts[address.network] = count > 1 ? count - 1 : nil
    }
  }
}
