internal import FoundationEssentials
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// Creates sessions on one reactor, after `SessionPlacement` has chosen this reactor. A new session may be the successor of
/// another session.
final class SessionCreation {
  /// The values and components that all reactors share.
  struct Environment: Sendable {
    let limits: Limits
    let store: any SessionStore
    /// The place where new sessions are saved: in memory only, or in the store.
    let saving: Saving
    /// The identity of the data folder.
    let folder: String
    let disk: DiskMonitor
    let ledger: SessionLedger
    /// The sweeper of stored sessions; nil when sessions are in memory only.
    let sweeper: SessionSweeper?
    let clock: GatewayClock
    let pseudonyms: AddressPseudonyms
    let log: Log
    /// Returns the number of the reactor that owns a session.
    let owner: @Sendable (SessionID) -> Int
    /// Counts a session that an address creates. Returns nil if the address may create it now, otherwise the time to wait.
    let admit: @Sendable (IPAddress, MonotonicTime) -> Duration?
  }

  /// The client of a request that creates a session.
  struct Client {
    let address: IPAddress
    /// The address whose quota counts the session; nil for a client on this machine.
    let countedAddress: IPAddress?
  }

  /// The successor of a session.
  enum Successor {
    /// A recent successor that another request has created.
    case existing(SessionID)
    case created(SessionID, SessionObject)
  }

  private let environment: Environment
  private let reactor: Int
  private let sessions: SessionTable
  private let clock: LoopClock
  private let counters: ReactorCounters

  init(
    _ environment: Environment, reactor: Int, _ sessions: SessionTable, clock: LoopClock,
    counters: ReactorCounters
  ) {
    self.environment = environment
    self.reactor = reactor
    self.sessions = sessions
    self.clock = clock
    self.counters = counters
  }

  private var now: MonotonicTime { clock.now }
  private var persister: Persister { sessions.persister }

  /// Creates a session. When this function returns, the session is in the store.
  func create(_ activity: Activity, for client: Client) async throws(Refusal) -> SessionHost {
    try await create(activity, for: client, following: nil, by: nil)
  }

  /// Creates the successor of a session for a participant. If the session has a recent successor, returns that successor.
  func follow(
    _ host: SessionHost, by token: Token?, _ activity: Activity, for client: Client
  ) async throws(Refusal) -> Successor {
    guard let token, host.session.isKnown(token) else {
      throw Refusal(
        .tokenNeeded,
        "Only a present or former participant can create the successor of a session: send its Participant-Token."
      )
    }
    host.tasksInHand += 1
    defer { sessions.finishTask(of: host) }
    // Only one successor is created at a time, so that simultaneous requests get the same successor.
    while host.isBeingFollowed {
      await withCheckedContinuation { host.followers.append($0) }
    }
    guard !host.isRemoved else { throw .ended }
    if let successor = host.session.recentSuccessor(now: now) { return .existing(successor) }
    host.isBeingFollowed = true
    defer {
      host.isBeingFollowed = false
      for continuation in host.followers { continuation.resume() }
      host.followers = []
    }
    let created = try await create(
      activity, for: client, following: host.id, by: host.session.number(of: token))
    guard !host.isRemoved else { throw .ended }
    let following = try host.session.follow(by: token, now: now) { created.id }
    sessions.touch(host)
    // The new session is on the disk already. So the request succeeds even if the old session cannot store the new session's id.
    _ = await persister.waitUntilStored(host)
    return .created(following.id, created.session.object)
  }

  private func create(
    _ activity: Activity, for client: Client, following former: SessionID?, by number: ParticipantNumber?
  ) async throws(Refusal) -> SessionHost {
    if let refusal = environment.disk.refusal(now: now) { throw refusal }
    // The limits also count the sessions that earlier processes left on the disk.
    if !environment.ledger.isLoaded { await environment.sweeper?.load() }
    let id = randomID()
    let creator = client.countedAddress.map { environment.pseudonyms.pseudonym(of: $0) }
    if let refusal = admit(id, from: client.address, creator: creator) { throw refusal }
    var session = Session(
      id: id, epoch: SessionID(random: sessions.random.take(16)).text, activity: activity,
      createdAt: Date(timeIntervalSince1970: Double(environment.clock.wall().secondsSince1970)),
      limits: environment.limits, now: now, creator: creator, saving: environment.saving,
      digest: TokenDigest.ofToken)
    session.folder = environment.folder
    let host = SessionHost(consume session, compressor: sessions.compressor)
    do throws(StorageError) {
      try await environment.store.create(id, host.session.firstRecords())
    } catch {
      environment.ledger.forget(id)
      if error.isOfDisk { persister.reportDisk(error) }
      environment.log(.error, "session not created", ["reason": "\(error)"])
      throw error.isOutOfDescriptors ? .outOfDescriptors : .notSaved
    }
    sessions.insert(host)
    persister.reportBytes(of: host)
    sessions.schedule(host)
    counters.values.sessionsCreated += 1
    environment.log(
      .info, "session created",
      [
        "session": .session(id), "remote": .address(client.address),
        "follows": former.map { .session($0) } ?? "", "participant": .number(number ?? 0),
      ])
    return host
  }

  /// Returns a random id that belongs to this reactor.
  private func randomID() -> SessionID {
    while true {
      let id = SessionID(random: sessions.random.take(16))
      if environment.owner(id) == reactor { return id }
    }
  }

  /// Counts a new session, unless a limit is reached.
  ///
  /// - Returns: nil if the session is counted, otherwise the refusal.
  private func admit(_ id: SessionID, from address: IPAddress, creator: String?) -> Refusal? {
    if let refusal = environment.ledger.admit(id, creator: creator, now: now) { return refusal }
    guard let wait = environment.admit(address, now) else { return nil }
    environment.ledger.forget(id)
    let perMinute = environment.limits.sessionsPerAddressPerMinute
    var refusal = Refusal(
      .tooMany, "An address may create \(perMinute) sessions per minute.", limit: perMinute)
    refusal.retryAfterMs = UInt64(clamping: wait.wholeMilliseconds)
    refusal.status = 429
    return refusal
  }
}
