import SessionClient
import Platform
import Wire

/// The sessions that this program is in, was in a moment ago, or is offered.
final class ActivityRegistry: Sendable {
  /// The process's one.
  static let shared = ActivityRegistry()
  /// How long after it was left a session is succeeded by one of the same activity.
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
    /// By the identifier of the activity, in lower case; so are the others.
    var left: [String: LeftSession] = [:]
    var subscribers: [String: [Subscriber]] = [:]
    var unclaimed: [String: [SessionOffer]] = [:]
    var nextID: UInt64 = 0
    /// The newest sessions that were offered, at most 64: what this program left already it is not made to follow.
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

  /// Offers a session to those who ask for its activity, unless this program is in it or has it before it.
  ///
  /// The offer goes by the main actor: what a program is told there before comes before it.
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

  /// A session that this program may still be in has a successor, which is offered next.
  func supersede(_ session: SessionID, by link: SessionLink) {
    let live = state.withLock { state in
      state.live.compactMap { $0.joinedAt == nil ? nil : $0.coordinator }
    }
    for coordinator in live where coordinator.session == session && coordinator.api.gateway == link.gateway {
      coordinator.supersede(by: link)
    }
  }

  /// Offers the successor of a session that this program was in, once the gateway has described it.
  func followSuccessor(_ link: SessionLink, isLocallyInitiated: Bool) {
    Task {
      // Three minutes and more: a gateway that starts again is back by then.
      for attempt in 0..<24 {
        do throws(RequestFailure) {
          let object = try await GatewayAPI(link.gateway).session(link.session)
          // What this program activates itself it is offered as its own.
          await Activation.waitForAll()
          guard !state.withLock({ $0.offered.contains(object.id) }) else { return }
          return offer(object, at: link.gateway, isLocallyInitiated: isLocallyInitiated, endsWhenLeft: false)
        } catch {
          guard case .unreachable = error else { return }
        }
        // The task is nobody's to cancel.
        try? await Task.sleep(for: .milliseconds(min(200 << attempt, 10_000)))
      }
    }
  }

  /// A session was joined.
  func didJoin(_ coordinator: SessionCoordinator) {
    state.withLock { state in
      state.live.removeAll { $0.coordinator == nil || $0.coordinator === coordinator }
      state.live.append(LiveSession(coordinator: coordinator, joinedAt: .now))
    }
  }

  /// A session was left.
  func didLeave(_ coordinator: SessionCoordinator, with token: Token?) {
    guard let token else { return }
    let left = LeftSession(
      session: coordinator.session, gateway: coordinator.api.gateway, token: token, leftAt: .now)
    state.withLock { $0.left[coordinator.identifier.lowercased()] = left }
  }

  /// A session is over for this program.
  func didEnd(_ coordinator: SessionCoordinator) {
    state.withLock { state in
      state.live.removeAll { $0.coordinator == nil || $0.coordinator === coordinator }
    }
  }

  /// Which session a new one of that activity succeeds: the one that this program joined or left last.
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

  /// Begins to ask for the sessions of an activity; who is first is given what waits.
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

  /// Asks no more; what it was offered, and nobody took, waits for the next who asks.
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

/// One iterator's asking for sessions; it ends when nobody holds it.
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

  /// The next session; nil when the task is cancelled.
  func next() async -> SessionOffer? {
    await queue.next()
  }
}

/// A session that a program may join: one object, whoever asks.
final class SessionOffer: Sendable {
  let coordinator: SessionCoordinator
  private struct Claim {
    var isClaimed = false
    /// Whoever took it holds it, or lets go of it and leaves.
    var object = WeakFacade()
  }
  private let claim = Guarded(Claim())

  init(_ coordinator: SessionCoordinator) {
    self.coordinator = coordinator
  }

  /// Whether somebody has, or had, the object.
  var isClaimed: Bool { claim.withLock { $0.isClaimed } }

  /// The object; nil when the session's payload is none of that activity, and when it was taken and let go of.
  func session<ActivityType>(of type: ActivityType.Type) -> GroupSession<ActivityType>? {
    claim.withLock { claim -> GroupSession<ActivityType>? in
      if claim.isClaimed { return claim.object.object as? GroupSession<ActivityType> }
      // A payload that does not fit is another program's; there is nobody to tell.
      guard let session = try? GroupSession<ActivityType>(coordinator) else { return nil }
      claim = Claim(isClaimed: true, object: WeakFacade(object: session))
      return session
    }
  }
}
