internal import Networking
internal import Platform

/// Counts per client: an IPv4 address, or the /64 of an IPv6 address.
struct ClientCounts: ~Copyable, Sendable {
  private let counts = Guarded<[IPAddress: Int]>([:])

  /// Counts one more for a client, unless that exceeds the limit.
  ///
  /// - Returns: the client's count with this one.
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
