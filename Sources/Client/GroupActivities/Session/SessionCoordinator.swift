import SessionClient
import FoundationEssentials
import Platform
import Wire

/// A change that a coordinator reports to the session object, on the main actor and in order.
enum SessionChange: Sendable {
  case joined
  case participants(active: Set<Participant>)
  /// The activity that the session reports. `revision` is the number of activity changes that this program had made before the
  /// report.
  case activity(JSONValue?, revision: Int)
  case invalidated(GroupSessionInvalidation)
}

/// The session object that a program uses.
protocol SessionFacade: AnyObject {
  @MainActor func publish(_ change: SessionChange)
}

/// A strong reference that keeps a session object alive.
///
/// Unchecked: no code can read the object from the retainer. So a type that contains a retainer, such as the messenger, is
/// `Sendable` even if the session's activity type is not.
struct SessionRetainer: @unchecked Sendable {
  private let facade: any SessionFacade

  init(_ facade: any SessionFacade) {
    self.facade = facade
  }
}

/// A weak reference to a session object, which any thread may pass to the main actor.
///
/// Unchecked: the object itself is used, and compared, only on the main actor.
struct WeakFacade: @unchecked Sendable {
  weak var object: (any SessionFacade)?
}

/// The implementation of `GroupSession`, without the generic activity type: this program's membership in one session.
///
/// The coordinator does not retain the program's session object. The membership retains the coordinator until the session is
/// over.
final class SessionCoordinator: Sendable {
  let session: SessionID
  let api: GatewayAPI
  let identifier: String
  let link: URL
  let isLocallyInitiated: Bool
  let endsWhenLeft: Bool
  let inbox: Inbox
  let entries: EntryBroadcaster
  let journal = AttachmentBroadcaster()
  let sentStrokePoints = SentStrokePoints()
  private let meter = BackpressureMeter()
  /// The active participants that will be published when the main actor is free; nil if no set is waiting.
  private let pendingParticipants = Guarded<Set<Participant>?>(nil)

  enum Phase {
    /// `join` was not called yet. The membership makes the gateway list this participant as waiting. The value is nil until the
    /// program has the session object.
    case waiting(Membership?)
    case joining(Membership)
    case joined(Membership)
    case ended(GroupSessionInvalidation)
  }

  /// An activity payload that waits until the gateway's rate limit allows sending it. `payload` is nil for an activity without a
  /// payload.
  struct DeferredPayload {
    let payload: JSONValue?
  }

  /// The result of `finish`: the membership that the session had at its end.
  struct FinalState {
    /// The membership; nil if the program never had the session object.
    let membership: Membership?
  }

  struct State {
    var phase = Phase.waiting(nil)
    /// This participant, with a provisional identifier until the gateway assigns one.
    var localParticipant: Participant
    var localNumber: ParticipantNumber = 0
    /// The participants that were reported to this program, present or past: at least the last 4,096.
    var knownParticipants = RecentTable<UUID, Wire.Participant>(limit: 4_096)
    var waitingParticipants: Set<Participant> = []
    var activity: Activity
    /// The number of activity changes that this program has made.
    var activityRevision = 0
    var changes = ActivityChanges()
    /// The payload of the last activity that this program set while the gateway's rate limit was exceeded; nil if none is
    /// waiting.
    var deferredPayload: DeferredPayload?
    /// The task that sends `deferredPayload` when the rate allows.
    var deferredSend: Task<Void, Never>?
    var uploads: [UUID: Upload] = [:]
    var uploadFailure: SessionClientError?
    /// The callers that wait for the state `joined`.
    var joinWaiters: [AsyncQueue<Void>] = []
    var facade = WeakFacade()
  }
  let state: Guarded<State>

  /// Creates the coordinator of a session that the gateway has described. Sends no message before `attach` or `join`.
  init(
    _ object: SessionObject, at gateway: GatewayAddress, isLocallyInitiated: Bool, endsWhenLeft: Bool = false
  ) {
    inbox = Inbox(meter: meter)
    entries = EntryBroadcaster(meter: meter)
    session = object.id
    api = GatewayAPI(gateway)
    identifier = object.activity.identifier
    link =
      URL(string: object.link, relativeTo: URL(string: gateway.description))?.absoluteURL
      ?? SessionLink(session: object.id, at: gateway).url
    self.isLocallyInitiated = isLocallyInitiated
    self.endsWhenLeft = endsWhenLeft && isLocallyInitiated
    state = Guarded(State(localParticipant: Participant(id: UUID()), activity: object.activity))
  }

  /// The token that proves this participant's identity, for example when a successor is created; nil before `joined` and after
  /// the end.
  var token: Token? {
    let membership = state.withLock { state -> Membership? in
      switch state.phase {
      case .joining(let membership), .joined(let membership): membership
      case .waiting, .ended: nil
      }
    }
    return membership?.token
  }

  /// The payload of the current activity.
  var payload: JSONValue? { state.withLock { $0.activity.payload } }

  /// Sets the object that receives changes, and makes the gateway list this participant as waiting until `join`.
  func attach(_ facade: any SessionFacade) {
    let membership = makeMembership(Profile(GatewaySettings.shared.profile))
    let weakFacade = WeakFacade(object: facade)
    state.withLock { state in
      state.facade = weakFacade
      state.phase = .waiting(membership)
    }
    membership.waitToJoin()
  }

  /// Joins the session. A second call, and a call after the end, have no effect.
  func join(_ profile: Profile) {
    let joining = state.withLock { state -> Membership? in
      guard case .waiting(let waiting) = state.phase else { return nil }
      let membership = waiting ?? makeMembership(profile)
      state.phase = .joining(membership)
      return membership
    }
    guard let membership = joining else { return }
    inbox.suspendDelivery()
    meter.connect { [weak membership] in membership?.setReading($0) }
    ActivityRegistry.shared.didJoin(self)
    membership.join(as: profile)
  }

  /// Leaves the session. After this call, no message is sent and no element is yielded.
  func leave() {
    if endsWhenLeft { return end() }
    guard let finalState = finish(.left, keepsBuffered: false) else { return }
    ActivityRegistry.shared.didLeave(self, with: finalState.membership?.token)
    finalState.membership?.leave()
  }

  /// Ends the session for all participants.
  func end() {
    guard let finalState = finish(.ended, keepsBuffered: false) else { return }
    // If this program has not joined, the call `end` of the membership joins the session first, because only a participant can
    // end a session.
    (finalState.membership ?? makeMembership(Profile())).end()
  }

  private func makeMembership(_ profile: Profile) -> Membership {
    Membership(in: session, at: api.gateway, profile: profile) { [self] in receive($0) }
  }

  /// Returns the membership for sending and requests.
  ///
  /// - Throws: `notJoined` before `join`, `invalidated` after the end.
  func membership() throws(GroupSessionMessenger.SendError) -> Membership {
    let result: Result<Membership, GroupSessionMessenger.SendError> = state.withLock { state in
      switch state.phase {
      case .waiting: .failure(.notJoined)
      case .joining(let membership), .joined(let membership): .success(membership)
      case .ended(let reason): .failure(.invalidated(reason))
      }
    }
    return try result.get()
  }

  /// The membership before or after `join`; nil after the end, and before the program has the session object.
  var currentMembership: Membership? {
    state.withLock { state in
      switch state.phase {
      case .waiting(let membership): membership
      case .joining(let membership), .joined(let membership): membership
      case .ended: nil
      }
    }
  }

  /// The limits in force; the default limits if there is no membership.
  var limits: Limits { (try? membership().limits) ?? Limits() }

  /// Waits until the session is joined.
  func joined() async throws -> Membership {
    let membership = try membership()
    let waiter = state.withLock { state -> AsyncQueue<Void>? in
      guard case .joining = state.phase else { return nil }
      let queue = AsyncQueue<Void>()
      state.joinWaiters.append(queue)
      return queue
    }
    if let waiter {
      _ = await waiter.next()
      try Task.checkCancellation()
      _ = try self.membership()
    }
    return membership
  }

  /// Ends the session and publishes the final state.
  ///
  /// - Returns: the final state; nil if the session was already over.
  func finish(_ reason: GroupSessionInvalidation, keepsBuffered: Bool) -> FinalState? {
    let (finalState, waiters) = state.withLock { state -> (FinalState?, [AsyncQueue<Void>]) in
      defer { state.joinWaiters = [] }
      switch state.phase {
      case .ended: return (nil, [])
      case .waiting(let membership):
        state.phase = .ended(reason)
        return (FinalState(membership: membership), state.joinWaiters)
      case .joining(let membership), .joined(let membership):
        state.phase = .ended(reason)
        return (FinalState(membership: membership), state.joinWaiters)
      }
    }
    guard let finalState else { return nil }
    for waiter in waiters { waiter.finish(keepsBuffered: false) }
    inbox.close(keepsBuffered: keepsBuffered)
    journal.close(keepsBuffered: keepsBuffered)
    if finalState.membership == nil { entries.close() }
    publish(.invalidated(reason))
    ActivityRegistry.shared.didEnd(self)
    return finalState
  }

  /// Publishes a change to the session object, in the order of calls.
  func publish(_ change: SessionChange) {
    let facade = state.withLock { $0.facade }
    MainActorQueue.shared.async { facade.object?.publish(change) }
  }

  /// Publishes the active participants to the session object. If several sets arrive while the main actor is busy, only the
  /// newest set is published.
  func publish(active: Set<Participant>) {
    let isScheduled = pendingParticipants.withLock { newest in
      defer { newest = active }
      return newest != nil
    }
    if isScheduled { return }
    let facade = state.withLock { $0.facade }
    MainActorQueue.shared.async {
      let active = self.pendingParticipants.withLock { newest in
        defer { newest = nil }
        return newest
      }
      if let active { facade.object?.publish(.participants(active: active)) }
    }
  }
}
