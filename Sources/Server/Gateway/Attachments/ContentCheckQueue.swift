internal import Networking

/// The order in which contents are verified.
///
/// Each client address has its own queue. At most one content of an address is verified at a time, in round-robin order
/// of the addresses. So an address with many requests delays only its own requests. When the queue is full and an address
/// with fewer waiting contents adds one, the address with the most waiting contents loses its newest one.
struct ContentCheckQueue {
  private enum Check {
    /// The content is in the queues of these clients.
    case waiting(Set<IPAddress?>)
    /// The content is being verified, on behalf of this client.
    case running(IPAddress?)
  }

  /// The outcome of adding the content of an attachment to the queue.
  enum Addition: Equatable {
    /// The content is in the queue, or is being verified already. The value is the content that was removed in favour of it, if
    /// any.
    case added(dropping: ContentID?)
    /// A limit is reached, and nothing was added.
    case refused
  }

  let runningLimit: Int
  let waitingLimit: Int
  let waitingLimitPerClient: Int

  private var checks: [ContentID: Check] = [:]
  /// Waiting contents by client, the oldest first.
  private var queues: [IPAddress?: [ContentID]] = [:]
  /// The clients that have waiting contents, but no content that is being verified; the next client first.
  private var turns: [IPAddress?] = []
  private var running: Set<IPAddress?> = []

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - runningLimit: the maximum number of contents that are verified at a time.
  ///   - waitingLimit: the maximum number of contents in the queue, including those that are being verified.
  ///   - waitingLimitPerClient: the maximum number of contents that wait for one address. Requests from this machine have no such
  ///     limit.
  init(runningLimit: Int, waitingLimit: Int, waitingLimitPerClient: Int) {
    self.runningLimit = runningLimit
    self.waitingLimit = waitingLimit
    self.waitingLimitPerClient = waitingLimitPerClient
  }

  /// Adds the content of an attachment for a client. If the content is being verified, or already waits for this client,
  /// its place in the queue stays the same. If it waits for several clients, it is verified when the first of these
  /// clients is next.
  mutating func add(_ content: ContentID, for address: IPAddress?) -> Addition {
    let client = address?.network
    var clients: Set<IPAddress?> = []
    switch checks[content] {
    case .running: return .added(dropping: nil)
    case .waiting(let others):
      guard !others.contains(client) else { return .added(dropping: nil) }
      clients = others
    case nil: break
    }
    let own = queues[client]?.count ?? 0
    guard client == nil || own < waitingLimitPerClient else { return .refused }
    var dropped: ContentID?
    if clients.isEmpty, checks.count >= waitingLimit {
      dropped = dropNewest(ofMoreThan: own + 1)
      guard dropped != nil else { return .refused }
    }
    clients.insert(client)
    checks[content] = .waiting(clients)
    queues[client, default: []].append(content)
    if queues[client]?.count == 1, !running.contains(client) { turns.append(client) }
    return .added(dropping: dropped)
  }

  /// Removes and returns the next content to verify; nil when none waits, or when the maximum number is being verified.
  mutating func next() -> ContentID? {
    guard running.count < runningLimit, !turns.isEmpty else { return nil }
    let client = turns.removeFirst()
    guard let content = queues[client]?.first, case .waiting(let clients) = checks[content] else {
      return nil
    }
    remove(content, fromQueuesOf: clients)
    checks[content] = .running(client)
    running.insert(client)
    return content
  }

  /// Removes verified content from the queue.
  mutating func end(_ content: ContentID) {
    guard case .running(let client) = checks.removeValue(forKey: content) else { return }
    running.remove(client)
    if queues[client] != nil { turns.append(client) }
  }

  /// Removes the newest content of the longest queue. Skips contents that are also in the short queue of another client.
  ///
  /// - Parameter least: the length of the longest queue that counts as short.
  /// - Returns: the removed content; nil when there is none.
  private mutating func dropNewest(ofMoreThan least: Int) -> ContentID? {
    let longest = queues.values.max { $0.count < $1.count } ?? []
    for content in longest.reversed() {
      guard case .waiting(let clients) = checks[content],
        clients.allSatisfy({ queues[$0, default: []].count > least })
      else { continue }
      checks[content] = nil
      remove(content, fromQueuesOf: clients)
      return content
    }
    return nil
  }

  private mutating func remove(_ content: ContentID, fromQueuesOf clients: Set<IPAddress?>) {
    for client in clients {
      queues[client]?.removeAll { $0 == content }
      guard queues[client]?.isEmpty == true else { continue }
      queues[client] = nil
      turns.removeAll { $0 == client }
    }
  }
}
