import SessionClient
import FoundationEssentials
import Platform
import Wire

/// What a session's coordinator tells the object that a program sees; on the main actor, in the order it happened.
enum SessionChange: Sendable {
  case joined
  case participants(active: Set<Participant>)
  /// The activity that the session reports, with the number of changes that this program had made before.
  case activity(JSONValue?, revision: Int)
  case invalidated(GroupSessionInvalidation)
}

/// The object that a program sees.
protocol SessionFacade: AnyObject {
  @MainActor func publish(_ change: SessionChange)
}

/// A strong reference that keeps a session's object alive.
///
/// Unchecked: it never hands out the object, so a messenger is `Sendable` even if its activity is not.
struct SessionRetainer: @unchecked Sendable {
  private let facade: any SessionFacade

  init(_ facade: any SessionFacade) {
    self.facade = facade
  }
}

/// A weak reference to a session's object, for any thread to pass on to the main actor.
///
/// Unchecked: the object itself is used on the main actor, or compared there.
struct WeakFacade: @unchecked Sendable {
  weak var object: (any SessionFacade)?
}

/// This program's part in one session: all of `GroupSession` that does not depend on the type of its activity.
///
/// It retains nothing of the program's; the membership refers to it until that is over.
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
  /// Who is in, on the way to the main actor.
  private let pendingParticipants = Guarded<Set<Participant>?>(nil)

  enum Phase {
    /// `join` was not called yet. The membership shows the participant as waiting, if the program has the session object.
    case waiting(Membership?)
    case joining(Membership)
    case joined(Membership)
    case ended(GroupSessionInvalidation)
  }

  /// A payload of the activity; nil where it has none.
  struct DeferredPayload {
    let payload: JSONValue?
  }

  /// What a session leaves behind at its end.
  struct FinalState {
    /// Nil when no program had the session object.
    let membership: Membership?
  }

  struct State {
    var phase = Phase.waiting(nil)
    /// Who I am: an id of my own until the gateway gives one.
    var localParticipant: Participant
    var localNumber: ParticipantNumber = 0
    /// Who is or was in the session, as far as that is known; who was heard of last.
    var knownParticipants = RecentTable<UUID, Wire.Participant>(limit: 4_096)
    var waitingParticipants: Set<Participant> = []
    var activity: Activity
    /// How often this program set the activity.
    var activityRevision = 0
    var changes = ActivityChanges()
    /// What the program has set last, and there was no room for.
    var deferredPayload: DeferredPayload?
    /// Waits for that room.
    var deferredSend: Task<Void, Never>?
    var uploads: [UUID: Upload] = [:]
    var uploadFailure: RequestFailure?
    /// Those who wait for `joined`.
    var joinWaiters: [AsyncQueue<Void>] = []
    var facade = WeakFacade()
  }
  let state: Guarded<State>

  /// This program's part in a session that the gateway has described; nothing is done before `join`.
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

  /// What proves who this participant is, good for a successor; nil before `joined` and after the end.
  var token: Token? {
    let membership = state.withLock { state -> Membership? in
      switch state.phase {
      case .joining(let membership), .joined(let membership): membership
      case .waiting, .ended: nil
      }
    }
    return membership?.token
  }

  /// The payload of the activity as it is now.
  var payload: JSONValue? { state.withLock { $0.activity.payload } }

  /// Publishes events to an object from here on, and shows this participant as waiting until `join`.
  func attach(_ facade: any SessionFacade) {
    let membership = makeMembership(Profile(GatewaySettings.shared.profile))
    let weakFacade = WeakFacade(object: facade)
    state.withLock { state in
      state.facade = weakFacade
      state.phase = .waiting(membership)
    }
    membership.waitToJoin()
  }

  /// Joins; once, and not after the end.
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

  /// Leaves: from here on nothing is sent and nothing yielded.
  func leave() {
    if endsWhenLeft { return end() }
    guard let finalState = finish(.left, keepsBuffered: false) else { return }
    ActivityRegistry.shared.didLeave(self, with: finalState.membership?.token)
    finalState.membership?.leave()
  }

  /// Ends the session for everyone.
  func end() {
    guard let finalState = finish(.ended, keepsBuffered: false) else { return }
    // One that was not joined is joined for that.
    (finalState.membership ?? makeMembership(Profile())).end()
  }

  private func makeMembership(_ profile: Profile) -> Membership {
    Membership(in: session, at: api.gateway, profile: profile) { [self] in receive($0) }
  }

  /// What is sent and asked goes through it.
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

  /// The membership in any state; nil after the end, and when no program had the session object.
  var currentMembership: Membership? {
    state.withLock { state in
      switch state.phase {
      case .waiting(let membership): membership
      case .joining(let membership), .joined(let membership): membership
      case .ended: nil
      }
    }
  }

  /// The limits in force: the defaults where there is no membership.
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

  /// Takes the session to its end and says so.
  ///
  /// - Returns: what there was; nil when the session was over before.
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

  /// Tells the program's object, in the order of calls.
  func publish(_ change: SessionChange) {
    let facade = state.withLock { $0.facade }
    MainActorQueue.shared.async { facade.object?.publish(change) }
  }

  /// Tells the program's object who is in; while the main actor is busy, once, and who is in then.
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
