import SessionClient
import Platform
import Wire

/// The sessions that this program has joined, has left recently, or may join.
final class ActivityRegistry: Sendable {
  /// The registry that the whole process shares.
  static let shared = ActivityRegistry()
  /// The period after this program leaves a session. A session of the same activity that begins within this period counts as the
  /// successor of the session that was left.
  static let successionTime = Duration.seconds(10)

  private struct LiveSession {
    weak var coordinator: SessionCoordinator?
    var joinedAt: ContinuousClock.Instant?
  }

  private struct LeftSession {
    let session: SessionID
    let gateway: GatewayAddress
    let token: Token
    let leftAt: ContinuousClock.Instant
  }

  private struct Subscriber {
    let id: UInt64
    let queue: AsyncQueue<SessionOffer>
  }

  private struct State {
    var live: [LiveSession] = []
    /// The session that this program left last, for each activity. In this dictionary and the next two, the key is the activity's
    /// identifier in lower case.
    var left: [String: LeftSession] = [:]
    var subscribers: [String: [Subscriber]] = [:]
    var unclaimed: [String: [SessionOffer]] = [:]
    var nextID: UInt64 = 0
    /// The 64 sessions that were offered last. `followSuccessor` offers none of them again, even if this program has left them.
    var offered: [SessionID] = []

    mutating func offer(_ offer: SessionOffer) {
      let name = offer.coordinator.identifier.lowercased()
      if let subscribers = subscribers[name], !subscribers.isEmpty {
        for subscriber in subscribers { subscriber.queue.enqueue(offer) }
      } else {
        unclaimed[name, default: []].append(offer)
      }
    }
  }
  private let state = Guarded(State())

  /// Offers a session to the subscribers of its activity, unless this program has the session already.
  ///
  /// The offer passes through `MainActorQueue`, so subscribers receive it after all changes that were published earlier.
  func offer(
    _ object: SessionObject, at gateway: GatewayAddress, isLocallyInitiated: Bool, endsWhenLeft: Bool
  ) {
    let offer = state.withLock { state -> SessionOffer? in
      state.live.removeAll { $0.coordinator == nil }
      guard !state.live.contains(where: { $0.coordinator?.session == object.id }) else { return nil }
      let coordinator = SessionCoordinator(
        object, at: gateway, isLocallyInitiated: isLocallyInitiated, endsWhenLeft: endsWhenLeft)
      state.live.append(LiveSession(coordinator: coordinator))
      state.offered = state.offered.suffix(63) + [object.id]
      return SessionOffer(coordinator)
    }
    guard let offer else { return }
    MainActorQueue.shared.async { self.state.withLock { $0.offer(offer) } }
  }

  /// Ends this program's membership in a session that got a successor; does nothing if this program has not joined the session.
  /// The caller offers the successor afterwards.
  func supersede(_ session: SessionID, by link: SessionLink) {
    let live = state.withLock { state in
      state.live.compactMap { $0.joinedAt == nil ? nil : $0.coordinator }
    }
    for coordinator in live where coordinator.session == session && coordinator.api.gateway == link.gateway {
      coordinator.supersede(by: link)
    }
  }

  /// Requests the description of a successor from the gateway, and offers the successor when the description arrives. This
  /// program was in the predecessor.
  func followSuccessor(_ link: SessionLink, isLocallyInitiated: Bool) {
    Task {
      // The attempts take more than three minutes in total, which is enough for a gateway to restart.
      for attempt in 0..<24 {
        do throws(SessionClientError) {
          let object = try await GatewayAPI(link.gateway).session(link.session)
          // If this program created the successor itself, `Activation` offers the session, and this task waits for that offer.
          await Activation.waitForAll()
          guard !state.withLock({ $0.offered.contains(object.id) }) else { return }
          return offer(object, at: link.gateway, isLocallyInitiated: isLocallyInitiated, endsWhenLeft: false)
        } catch {
          guard case .unreachable = error else { return }
        }
        // This task is never cancelled, so `sleep` does not throw.
        try? await Task.sleep(for: .milliseconds(min(200 << attempt, 10_000)))
      }
    }
  }

  /// Records that this program joined a session.
  func didJoin(_ coordinator: SessionCoordinator) {
    state.withLock { state in
      state.live.removeAll { $0.coordinator == nil || $0.coordinator === coordinator }
      state.live.append(LiveSession(coordinator: coordinator, joinedAt: .now))
    }
  }

  /// Records that this program left a session.
  func didLeave(_ coordinator: SessionCoordinator, with token: Token?) {
    guard let token else { return }
    let left = LeftSession(
      session: coordinator.session, gateway: coordinator.api.gateway, token: token, leftAt: .now)
    state.withLock { $0.left[coordinator.identifier.lowercased()] = left }
  }

  /// Records that this program no longer takes part in a session.
  func didEnd(_ coordinator: SessionCoordinator) {
    state.withLock { state in
      state.live.removeAll { $0.coordinator == nil || $0.coordinator === coordinator }
    }
  }

  /// Returns the predecessor for a new session of an activity: the session of this activity that this program joined or left
  /// last.
  func predecessor(of identifier: String, at gateway: GatewayAddress) -> (session: SessionID, token: Token)? {
    let name = identifier.lowercased()
    let (left, live) = state.withLock { state in
      let live = state.live.last {
        $0.joinedAt != nil && $0.coordinator?.identifier.lowercased() == name
          && $0.coordinator?.api.gateway == gateway
      }
      return (state.left[name], live.map { ($0.coordinator, $0.joinedAt) })
    }
    let former = left.flatMap { left in
      left.gateway == gateway && .now - left.leftAt < Self.successionTime ? left : nil
    }
    if let coordinator = live?.0, let token = coordinator.token,
      former.map({ live?.1 ?? $0.leftAt > $0.leftAt }) ?? true
    {
      return (coordinator.session, token)
    }
    return former.map { ($0.session, $0.token) }
  }

  /// Subscribes to the sessions of an activity. The first subscriber also receives the sessions that were offered before it
  /// subscribed.
  func subscribe(to identifier: String) -> OfferSubscription {
    let name = identifier.lowercased()
    let queue = AsyncQueue<SessionOffer>()
    let id = state.withLock { state in
      state.nextID += 1
      for offer in state.unclaimed.removeValue(forKey: name) ?? [] { queue.enqueue(offer) }
      state.subscribers[name, default: []].append(Subscriber(id: state.nextID, queue: queue))
      return state.nextID
    }
    return OfferSubscription(name: name, id: id, queue: queue)
  }

  /// Ends a subscription. Offers that the subscriber did not receive are kept for the next subscriber.
  fileprivate func remove(_ subscription: OfferSubscription) {
    let unread = subscription.queue.finish(keepsBuffered: false)
    state.withLock { state in
      state.subscribers[subscription.name]?.removeAll { $0.id == subscription.id }
      guard state.subscribers[subscription.name]?.isEmpty != false else { return }
      state.subscribers[subscription.name] = nil
      for offer in unread where !offer.isClaimed { state.offer(offer) }
    }
  }
}

/// The subscription of one iterator. It ends when the last reference to this object is released.
final class OfferSubscription: Sendable {
  fileprivate let name: String
  fileprivate let id: UInt64
  fileprivate let queue: AsyncQueue<SessionOffer>

  fileprivate init(name: String, id: UInt64, queue: AsyncQueue<SessionOffer>) {
    self.name = name
    self.id = id
    self.queue = queue
  }

  deinit {
    ActivityRegistry.shared.remove(self)
  }

  /// Returns the next session; nil when the task is cancelled.
  func next() async -> SessionOffer? {
    await queue.next()
  }
}

/// A session that this program may join. All subscribers receive the same session object.
final class SessionOffer: Sendable {
  let coordinator: SessionCoordinator
  private struct Claim {
    var isClaimed = false
    /// The reference is weak, so that only the program keeps the object alive. When the program releases the object, this
    /// participant leaves the session.
    var object = WeakFacade()
  }
  private let claim = Guarded(Claim())

  init(_ coordinator: SessionCoordinator) {
    self.coordinator = coordinator
  }

  /// True if a subscriber has received the session object.
  var isClaimed: Bool { claim.withLock { $0.isClaimed } }

  /// Returns the session object; nil if the session's payload cannot be decoded as `ActivityType`, or if the program has already
  /// released the object.
  func session<ActivityType>(of type: ActivityType.Type) -> GroupSession<ActivityType>? {
    claim.withLock { claim -> GroupSession<ActivityType>? in
      if claim.isClaimed { return claim.object.object as? GroupSession<ActivityType> }
      // The payload comes from another program, so this program could do nothing about a decoding error. The session is ignored.
      guard let session = try? GroupSession<ActivityType>(coordinator) else { return nil }
      claim = Claim(isClaimed: true, object: WeakFacade(object: session))
      return session
    }
  }
}
