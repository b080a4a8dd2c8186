internal import Networking
internal import Synchronization
internal import Wire

/// The numbers of connections and of buffered bytes in all reactors. This class enforces the limits `connections`,
/// `connectionsPerAddress` and `incompleteBytes`.
final class ConnectionCounts: Sendable {
  /// The decision about a new connection.
  enum Admission {
    /// The connection is admitted and counted.
    case admitted
    /// The limit `connections` is reached. The connection can only be accepted as a reserved connection.
    case full
    case refused(Refusal)
  }

  private let limits: Limits
  private let isBehindProxy: Bool
  private let connections = Atomic(0)
  private let buffered = Atomic(0)
  private let clients = ClientCounts()

  /// Creates the counts, all zero.
  ///
  /// - Parameters:
  ///   - limits: the configured limits.
  ///   - isBehindProxy: true when the gateway trusts proxies. Peers are then proxies, so their addresses are not counted.
  init(limits: Limits, isBehindProxy: Bool) {
    self.limits = limits
    self.isBehindProxy = isBehindProxy
  }

  // MARK: - Connections

  /// Counts a new connection, unless a limit is reached.
  func admitConnection(from address: SocketAddress) -> Admission {
    let count = connections.add(1, ordering: .relaxed).newValue
    guard count <= limits.connections else {
      connections.subtract(1, ordering: .relaxed)
      return .full
    }
    guard countsPeer(address), let refusal = admitClient(address.ip) else { return .admitted }
    connections.subtract(1, ordering: .relaxed)
    return .refused(refusal)
  }

  func releaseConnection(from address: SocketAddress) {
    connections.subtract(1, ordering: .relaxed)
    if countsPeer(address) { releaseClient(address.ip) }
  }

  /// The refusal for a peer that connects when the limit `connections` is reached.
  var tooManyConnections: Refusal {
    Refusal(
      .tooMany, "This gateway has \(limits.connections) connections, which is its maximum.",
      limit: limits.connections, actual: connections.load(ordering: .relaxed) + 1)
  }

  private func countsPeer(_ address: SocketAddress) -> Bool { !address.isLoopback && !isBehindProxy }

  // MARK: - Clients

  /// Adds one connection, or one request through a proxy, to an address's count, unless the limit `connectionsPerAddress` is
  /// reached.
  ///
  /// - Returns: nil if the count was increased, otherwise the refusal.
  func admitClient(_ address: IPAddress) -> Refusal? {
    let fromAddress = clients.countUp(address, limit: limits.connectionsPerAddress)
    guard fromAddress > limits.connectionsPerAddress else { return nil }
    return Refusal(
      .tooMany, "An address may have \(limits.connectionsPerAddress) connections at a time.",
      limit: limits.connectionsPerAddress, actual: fromAddress)
  }

  func releaseClient(_ address: IPAddress) {
    clients.countDown(address)
  }

  // MARK: - Buffered bytes

  /// The number of bytes that all connections buffer: incomplete messages and requests, and output that peers have not accepted.
  var bufferedBytes: Int { buffered.load(ordering: .relaxed) }

  /// True when all connections together buffer more than half of the limit `incompleteBytes`. The gateway then encrypts and reads
  /// ahead fewer bytes at a time, because it must buffer these bytes for every peer that accepts no output.
  var isMemoryTight: Bool { bufferedBytes > limits.incompleteBytes / 2 }

  /// Adds a positive or negative change to the number of buffered bytes.
  ///
  /// - Returns: false when the change is an increase, and the sum exceeds the limit `incompleteBytes`.
  func addBuffered(_ change: Int) -> Bool {
    let total = buffered.add(change, ordering: .relaxed).newValue
    return change <= 0 || total <= limits.incompleteBytes
  }
}
