internal import Networking
internal import Platform

/// Counts per client. A client is an IPv4 address, or the /64 of an IPv6 address.
struct ClientCounts: ~Copyable, Sendable {
  private let counts = Guarded<[IPAddress: Int]>([:])

  /// Adds one to a client's count, unless that exceeds the limit.
  ///
  /// - Returns: the new count of the client.
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
