internal import Networking
internal import Primitives

/// The TLS handshakes in progress in one reactor, by the address of the peer (an IPv4 address, or the /64 around an IPv6 one).
///
/// When the table is full, a new handshake replaces the oldest handshake of the address with the most handshakes. So an address
/// has at most an equal share of a full table, and silent peers cannot block clients that answer within a few round trips.
final class HandshakeTable {
  private struct Entry {
    let key: Connection.Key
    let began: MonotonicTime
  }

  private let capacity: Int
  /// The handshakes by address, the oldest first.
  private var entries: [IPAddress: [Entry]] = [:]
  private(set) var count = 0

  /// Creates an empty table with a limit on the handshakes.
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Returns the handshake that must be removed before another one is inserted.
  ///
  /// - Returns: nil while there is room.
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

  /// Removes a handshake, if it is in the table.
  ///
  /// - Returns: the beginning of the handshake; nil if it is not in the table.
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
