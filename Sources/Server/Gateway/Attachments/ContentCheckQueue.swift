internal import Networking

/// The queue of attachment contents that wait for verification.
///
/// Each client address has its own queue, and the addresses take turns (round-robin). At most one content per address is verified
/// at a time, so an address with many requests delays only its own requests. When the total limit is reached and an address with
/// few waiting contents adds another content, the newest content of the longest queue is dropped.
struct ContentCheckQueue {
  private enum Check {
    /// The content is in the queues of these clients.
    case waiting(Set<IPAddress?>)
    /// The content is being verified. The value is the client from whose queue the content was taken.
    case running(IPAddress?)
  }

  /// The outcome of adding the content of an attachment to the queue.
  enum Addition: Equatable {
    /// The content is in the queue, or is being verified already. If a different content was removed from the queue to make room,
    /// `dropping` is that content.
    case added(dropping: ContentID?)
    /// The content was not added, because the queue has reached one of its limits.
    case refused
  }

  let runningLimit: Int
  let waitingLimit: Int
  let waitingLimitPerClient: Int

  private var checks: [ContentID: Check] = [:]
  /// The waiting contents of each client, the oldest content first.
  private var queues: [IPAddress?: [ContentID]] = [:]
  /// The clients in round-robin order, the next one first. Only clients with a waiting content, and without a content that is
  /// being verified, are in this array.
  private var turns: [IPAddress?] = []
  private var running: Set<IPAddress?> = []

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - runningLimit: the maximum number of contents that are verified at a time.
  ///   - waitingLimit: the maximum number of contents in the queue, including those that are being verified.
  ///   - waitingLimitPerClient: the maximum number of waiting contents in the queue of one address. The queue for requests from
  ///     this machine has no such limit.
  init(runningLimit: Int, waitingLimit: Int, waitingLimitPerClient: Int) {
    self.runningLimit = runningLimit
    self.waitingLimit = waitingLimit
    self.waitingLimitPerClient = waitingLimitPerClient
  }

  /// Adds the content of an attachment to the queue of a client. Does nothing if the content is being verified, or is already in
  /// the queue of this client. If a content is in the queues of several clients, it is verified once, as soon as it is next in
  /// one of these queues.
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

  /// Removes and returns the next content to verify.
  ///
  /// - Returns: the content; nil if `runningLimit` contents are being verified already, or if each client with a waiting content
  ///   also has a content that is being verified.
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

  /// Ends the check of a content, so that the next content of the same client can be verified.
  mutating func end(_ content: ContentID) {
    guard case .running(let client) = checks.removeValue(forKey: content) else { return }
    running.remove(client)
    if queues[client] != nil { turns.append(client) }
  }

  /// Removes the newest content of the longest queue from all queues. A content that several clients requested is in the queue of
  /// each of them. Contents that are in a queue with at most `least` contents are not removed.
  ///
  /// - Parameter least: the number of contents that each client may keep in its queue.
  /// - Returns: the removed content; nil if no content may be removed.
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
