internal import Networking
internal import Primitives

/// The TLS handshakes in progress in one reactor, grouped by the peer's IPv4 address or by the /64 of its IPv6 address.
///
/// When the table is full, a new handshake replaces the oldest handshake of the address with the most handshakes. So an address
/// has at most an equal share of a full table, and silent peers cannot block clients that answer within a few round trips.
final class HandshakeTable {
  private struct Entry {
    let key: Connection.Key
    let began: MonotonicTime
  }

  private let capacity: Int
  /// The handshakes of each address, the oldest first.
  private var entries: [IPAddress: [Entry]] = [:]
  private(set) var count = 0

  /// Creates an empty table. `capacity` is the maximum number of handshakes.
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Returns the handshake that must be removed before another handshake is inserted.
  ///
  /// - Returns: nil while the table is not full.
  func victim() -> Connection.Key? {
    guard count >= capacity else { return nil }
    var victim: Entry?
    var most = 0
    for of in entries.values {
      guard let oldest = of.first, of.count >= most else { continue }
      if of.count == most, let victim, victim.began <= oldest.began { continue }
      (victim, most) = (oldest, of.count)
    }
    return victim?.key
  }

  func insert(_ key: Connection.Key, from address: IPAddress, at time: MonotonicTime) {
    entries[address.network, default: []].append(Entry(key: key, began: time))
    count += 1
  }

  /// Removes a handshake, if the table contains it.
  ///
  /// - Returns: the time at which the handshake began; nil if the table did not contain it.
  @discardableResult
  func remove(_ key: Connection.Key, from address: IPAddress) -> MonotonicTime? {
    let network = address.network
    guard let index = entries[network]?.firstIndex(where: { $0.key == key }) else { return nil }
    let began = entries[network]?.remove(at: index).began
    if entries[network]?.isEmpty == true { entries[network] = nil }
    count -= 1
    return began
  }
}
