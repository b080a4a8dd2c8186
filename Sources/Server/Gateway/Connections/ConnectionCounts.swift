internal import Networking
internal import Synchronization
internal import Wire

/// The number of connections and buffered bytes of all reactors, for the limits `connections`, `connectionsPerAddress` and
/// `incompleteBytes`.
final class ConnectionCounts: Sendable {
  /// The decision about a new connection.
  enum Admission {
    /// The connection is admitted and counted.
    case admitted
    /// The limit `connections` is reached: the connection can only use a reserved slot.
    case full
    case refused(Refusal)
  }

  private let limits: Limits
  private let isBehindProxy: Bool
  private let connections = Atomic(0)
  private let buffered = Atomic(0)
  private let clients = ClientCounts()

  /// Creates counts that are zero.
  ///
  /// - Parameters:
  ///   - limits: the configured limits.
  ///   - isBehindProxy: true when proxies are trusted. Then the peer's address is that of a proxy, and is not counted.
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

  /// The refusal of a peer when the limit `connections` is reached.
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
  /// - Returns: nil if the count was increased; else the refusal.
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

  /// The bytes that all connections buffer: incomplete messages and requests, and output that peers have not accepted.
  var bufferedBytes: Int { buffered.load(ordering: .relaxed) }

  /// True when connections buffer more than half of the limit. Then fewer bytes are encrypted and read ahead for peers that
  /// accept none.
  var isMemoryTight: Bool { bufferedBytes > limits.incompleteBytes / 2 }

  /// Adds to the buffered bytes.
  ///
  /// - Returns: false when the change is an increase, and the sum exceeds the limit `incompleteBytes`.
  func addBuffered(_ change: Int) -> Bool {
    let total = buffered.add(change, ordering: .relaxed).newValue
    return change <= 0 || total <= limits.incompleteBytes
  }
}
