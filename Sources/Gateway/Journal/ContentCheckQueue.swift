internal import Transport

/// The order in which contents are verified.
///
/// Each client address has a queue of its own. At most one content of an address is verified at a time, and the addresses take
/// turns, so that an address with many requests delays only its own.
struct ContentCheckQueue {
  private enum Check {
    /// It is in the queues of these clients.
    case waiting(Set<IPAddress?>)
    /// It takes the turn of this client.
    case running(IPAddress?)
  }

  let runningLimit: Int
  let waitingLimit: Int
  let waitingLimitPerClient: Int

  private var checks: [ContentID: Check] = [:]
  /// Waiting contents by client, the oldest first.
  private var queues: [IPAddress?: [ContentID]] = [:]
  /// The clients that have waiting contents and none that is verified, the next first.
  private var turns: [IPAddress?] = []
  private var running: Set<IPAddress?> = []

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - runningLimit: the most contents that are verified at a time.
  ///   - waitingLimit: the most contents in the queue, with those that are verified.
  ///   - waitingLimitPerClient: the most contents that wait for one address; this machine's own has no such limit.
  init(runningLimit: Int, waitingLimit: Int, waitingLimitPerClient: Int) {
    self.runningLimit = runningLimit
    self.waitingLimit = waitingLimit
    self.waitingLimitPerClient = waitingLimitPerClient
  }

  /// Adds a content for a client. One that is verified already, or waits for this client, stays where it is; one that waits for
  /// other clients is verified at the first of their turns.
  ///
  /// - Returns: false when a limit is reached, and nothing was added.
  mutating func add(_ content: ContentID, for address: IPAddress?) -> Bool {
    let client = address?.network
    var clients: Set<IPAddress?> = []
    switch checks[content] {
    case .running: return true
    case .waiting(let others):
      guard !others.contains(client) else { return true }
      clients = others
    case nil:
      guard checks.count < waitingLimit else { return false }
    }
    guard client == nil || queues[client, default: []].count < waitingLimitPerClient else { return false }
    clients.insert(client)
    checks[content] = .waiting(clients)
    queues[client, default: []].append(content)
    if queues[client]?.count == 1, !running.contains(client) { turns.append(client) }
    return true
  }

  /// Returns the content to be verified next; nil when none waits, or as many as possible are verified already.
  mutating func next() -> ContentID? {
    guard running.count < runningLimit, !turns.isEmpty else { return nil }
    let client = turns.removeFirst()
    guard let content = queues[client]?.first, case .waiting(let clients) = checks[content] else {
      return nil
    }
    for other in clients {
      queues[other]?.removeAll { $0 == content }
      guard queues[other]?.isEmpty == true else { continue }
      queues[other] = nil
      turns.removeAll { $0 == other }
    }
    checks[content] = .running(client)
    running.insert(client)
    return content
  }

  /// Removes a content that was verified.
  mutating func end(_ content: ContentID) {
    guard case .running(let client) = checks.removeValue(forKey: content) else { return }
    running.remove(client)
    if queues[client] != nil { turns.append(client) }
  }
}
