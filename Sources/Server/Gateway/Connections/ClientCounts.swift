internal import Networking
internal import Platform

/// How many of something each client has at present: an IPv4 address, or the /64 around an IPv6 one.
struct ClientCounts: ~Copyable, Sendable {
  private let counts = Guarded<[IPAddress: Int]>([:])

  /// - Returns: the client's count with this one, which is only kept when it is within the limit.
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
